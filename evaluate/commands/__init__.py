"""The commands of `casino evaluate`: each module has add_parsers(commands), which adds them with their run(args)."""

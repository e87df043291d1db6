"""The commands of `casino evaluate`: each module has add_parser(commands), which names its run(args)."""

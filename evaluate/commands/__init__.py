"""The commands of `python -m evaluate`: each module has add_parser(commands), which names its run(args)."""

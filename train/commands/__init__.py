"""The subcommands of `casino train`."""

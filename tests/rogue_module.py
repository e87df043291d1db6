"""A module that must not be imported when a file or a request names it."""

raise RuntimeError("not to be imported")

"""A module that nobody may import because a file or a request names it."""

raise RuntimeError("not to be imported")

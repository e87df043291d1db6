"""The version of the project: pyproject.toml reads it here when a package is built."""

__version__ = "0.1.0"

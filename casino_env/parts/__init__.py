"""The other parts of the project: where they lie, what they need, and the one command for all of them."""

"""Processes that train one network together, and how they average what each has learned."""

"""How a policy learns: an algorithm a file."""

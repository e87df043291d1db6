"""One number an agent, from a tournament."""

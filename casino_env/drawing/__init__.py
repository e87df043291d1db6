"""Draw the table of a game as text or as a picture."""

"""How a run is watched: when it looks how strong it is, what is shown, and what is kept for reports."""

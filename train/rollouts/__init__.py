"""Self-play for training, and the buffers that it fills."""

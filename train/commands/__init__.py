"""What `python -m train` does."""

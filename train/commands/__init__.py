"""What `casino train` does."""

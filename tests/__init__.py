"""What has to hold, and what it is held against."""

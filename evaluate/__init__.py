"""Who is better and by how much, and how fast."""

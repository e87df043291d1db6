"""Who is better: deals, the games on them, and what they come to."""

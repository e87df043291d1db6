"""What a seat may know of a game: its view, its observation, and determinizations."""

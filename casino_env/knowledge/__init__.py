"""What a seat may know of a game: views, observations, and games that agree with them."""

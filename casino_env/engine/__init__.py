"""The turn: from the record of a game to what is legal, what it does and what it scores."""

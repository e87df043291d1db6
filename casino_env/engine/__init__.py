"""The rules of a turn: which actions are legal in a game record, what they do and how a deal scores."""

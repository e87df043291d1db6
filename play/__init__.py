"""Play against agents in the terminal or in the browser."""

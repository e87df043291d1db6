"""A person at the table: in the terminal, in the browser, and what both stand on."""

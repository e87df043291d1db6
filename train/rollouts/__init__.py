"""Games played to learn from, and what is written down of them."""

"""Tables as text and pictures, drawn from records."""

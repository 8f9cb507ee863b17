"""Trees as text and as pictures."""

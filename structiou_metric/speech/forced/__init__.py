"""Word times from a recording."""

"""Word times that are found in a recording."""

"""Word times put on text trees."""

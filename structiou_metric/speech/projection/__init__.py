"""Word times that are put on text trees."""

"""SParseval: brackets and head dependencies of speech, whose words need not be the same."""

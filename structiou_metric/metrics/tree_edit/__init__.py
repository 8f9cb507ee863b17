"""Tree edit distance: nodes to be inserted, deleted and renamed, whatever their words are."""

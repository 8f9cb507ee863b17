"""TedEval: nodes, words among them, that two trees have in common."""

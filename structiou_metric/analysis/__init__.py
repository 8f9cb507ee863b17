"""Analyse scores: comparisons, causes and moves, curves, and the paper's experiments."""

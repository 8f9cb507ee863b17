"""Metrics behind one seam: what each counts of a pair, and the figures that are made of the sums."""

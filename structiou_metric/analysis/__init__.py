"""What scores tell: intervals, tests, groups, curves, and the paper's experiments."""

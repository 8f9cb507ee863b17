"""Statistics of figures: confidence intervals, paired tests and corrections for many tests."""

"""The metric as a script of the library `evaluate`, and how that finds it."""

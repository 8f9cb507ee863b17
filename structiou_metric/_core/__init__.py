"""The compiled modules: flat arrays of numbers in, numbers out. Each also runs as it is written."""

"""The version of the package, in one place."""

# The version of this package, as signatures have it.
__version__ = "0.3.0"

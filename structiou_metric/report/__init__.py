"""Reports of a `Comparison`: tables for the terminal, and a page for the browser."""

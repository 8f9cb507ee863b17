"""Many trees: lists, files, tables and columns, read in batches."""

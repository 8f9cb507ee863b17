"""Generated parts of the documentation: tables, the reference of the API, pictures."""

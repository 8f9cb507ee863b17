"""The parts of the site that are made when it is built: tables, the reference, pictures."""

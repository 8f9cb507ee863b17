"""Many recordings at a time: what goes with what, processes, runs that are taken up again."""

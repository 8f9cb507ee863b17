"""The web application: pages, a JSON interface for programs, and the pages of the host."""

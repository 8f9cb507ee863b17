"""STRUCT-IoU."""

"""Struct-IoU for spaCy: component, scorer and corpus reader."""

"""Discontinuous ParsEval: brackets that are equal as sets of words."""

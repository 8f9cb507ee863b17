"""ParsEval, figure for figure as EVALB counts it."""

"""Aligned ParsEval: brackets over words and sentences that need not be the same on both sides."""

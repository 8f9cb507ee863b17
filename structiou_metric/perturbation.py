"""Perturbed word boundaries, under the name that users were shown; they live in `analysis.perturbation`."""

from .analysis.perturbation import KINDS, generator_for, perturb, with_seconds

__all__ = ["KINDS", "generator_for", "perturb", "with_seconds"]

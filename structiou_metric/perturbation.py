"""Perturbed word boundaries, under the name that users were shown; they live in `analysis.perturbation`."""

from .analysis.perturbation import *  # noqa: F403

"""Pictures of alignments, under the name that users were shown; they are drawn in `drawing.svg`."""

from .drawing.svg import *  # noqa: F403

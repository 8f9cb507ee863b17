"""Where things are.

The tests stand in the checkout or in an unpacked source package; the package under test may be elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import structiou_metric

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
SPEECH = DATA / "speech"
BENCH = ROOT / "tests" / "bench"
EXAMPLE = ROOT / "tests" / "example_project"
SPACE = ROOT / "hf_space"

PACKAGE = Path(structiou_metric.__file__).parent

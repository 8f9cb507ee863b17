"""What all tests share: how hypothesis searches, the library `evaluate`, and axe-core."""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, settings

from support.axe import fetch_axe
from support.hub import OFFLINE

# The same verdict every time: `make test` tries the same examples on any machine, however slow or busy.
# The search for others is `make fuzz`; what it finds becomes an `@example` of its test.
settings.register_profile(
    "steady", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# The first of them, for a build that repeats what another has tried in full.
settings.register_profile("few", settings.get_profile("steady"), max_examples=25)
settings.register_profile(
    "fuzz", max_examples=2000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def hf_home(tmp_path_factory):
    return tmp_path_factory.mktemp("hf")


@pytest.fixture(scope="session")
def evaluate(hf_home):
    """The library; it reads its environment when it is imported."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE"):
            patch.delenv(name, raising=False)
        for name, value in {**OFFLINE, "HF_HOME": str(hf_home)}.items():
            patch.setenv(name, value)
        library = pytest.importorskip("evaluate")
        # Another test may have imported it before.
        patch.setattr(library.config, "HF_EVALUATE_OFFLINE", True)
        patch.setattr(library.config, "HF_MODULES_CACHE", hf_home / "modules")
        patch.setattr(library.config, "HF_METRICS_CACHE", hf_home / "metrics")
        # `datasets`, imported before, looks for scripts in the user's cache; ours come first.
        for name in [name for name in sys.modules if name.partition(".")[0] == "evaluate_modules"]:
            patch.delitem(sys.modules, name)
        patch.syspath_prepend(hf_home / "modules")
        yield library


@pytest.fixture(scope="session")
def axe(request):
    """The script that finds barriers on a page."""
    return fetch_axe(request.config.cache.mkdir("axe-core"))

"""How many examples hypothesis tries."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_STEADY = 100  # examples of a test that does not say how many, in the profile that `make test` has


def examples(number: int, *allowed: HealthCheck) -> settings:
    """Tries that many, and as many times more as the profile tries more: see `tests/conftest.py`."""
    default = settings.default
    assert default is not None
    return settings(
        max_examples=number * default.max_examples // _STEADY,
        suppress_health_check=[*default.suppress_health_check, *allowed],
    )

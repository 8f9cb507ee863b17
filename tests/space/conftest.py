"""The Space's own modules, and a small board of two benchmarks."""

from __future__ import annotations

import sys

import pytest

from support.extras import need
from support.paths import SPACE
from support.space_boards import (
    DESCRIPTION,
    HEBREW,
    HOST_TOKEN,
    PRIVATE,
    SECRET,
    write_benchmark,
)
from support.space_client import SpaceClient, site_of
from support.space_server import SpaceServer

need("gradio")
need("limits")
need("pydantic_settings")
need("prometheus_client")

if str(SPACE) not in sys.path:
    sys.path.insert(0, str(SPACE))


@pytest.fixture
def benchmarks(tmp_path):
    folder = tmp_path / "benchmarks"
    write_benchmark(folder, "english")
    write_benchmark(
        folder,
        "hebrew",
        DESCRIPTION.replace("Small English", "Small Hebrew")
        .replace('"English"', '"Hebrew"')
        .replace('[metrics.parseval]\nparameters = "collins"', "show_sentences = true")
        .replace('labels = "base"', 'unit = "char"'),
        HEBREW,
    )
    return folder


@pytest.fixture
def settings(tmp_path, benchmarks):
    from leaderboard.settings import Settings

    return Settings(data=tmp_path / "data", benchmarks=benchmarks, admin_token="host-token")


@pytest.fixture
def board(settings):
    """A leaderboard that scores."""
    from leaderboard.service import Leaderboard

    leaderboard = Leaderboard(settings)
    leaderboard.start()
    yield leaderboard
    leaderboard.stop()


@pytest.fixture
def site(board):
    """Requests to the application of `board`, in this process."""
    return site_of(board)


@pytest.fixture(scope="session")
def space(tmp_path_factory):
    """A running Space for all tests that do not mind what others submit to it."""
    folder = tmp_path_factory.mktemp("space")
    benchmarks = folder / "benchmarks"
    write_benchmark(benchmarks, "english")
    write_benchmark(
        benchmarks,
        "open",
        DESCRIPTION.replace("[metrics.parseval]", "show_sentences = true\n[metrics.parseval]"),
    )
    write_benchmark(benchmarks, "secret", PRIVATE, trees=SECRET)
    server = SpaceServer(
        folder / "data", benchmarks, ADMIN_TOKEN=HOST_TOKEN, DAILY_PER_USER=1000, DAILY_PER_ADDRESS=1000
    )
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="session")
def raw(space):
    """Requests to the running Space, with the token of its host."""
    client = SpaceClient(space.url, token=HOST_TOKEN)
    yield client
    client.close()

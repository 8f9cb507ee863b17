"""The settings of a host, read from environment variables whose names begin with STRUCTIOU_."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PositiveInt, StringConstraints, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from .people import Network, read_networks

_PREFIX = "STRUCTIOU_"
_HUB_PROXIES = "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7"  # the Hub's own networks
_SPACE_DATA = Path("/data")  # the persistent storage of a Space, if it has some
_HERE = Path(__file__).resolve().parent.parent


def _is_space() -> bool:
    return "SPACE_ID" in os.environ


def _default_data() -> Path:
    return _SPACE_DATA if _SPACE_DATA.is_dir() and _is_space() else _HERE / "data"


def _default_proxies() -> tuple[Network, ...]:
    return read_networks(_HUB_PROXIES) if _is_space() else ()


def _read_networks(value: Any) -> Any:
    return read_networks(value) if isinstance(value, str) else value


def _read_names(value: Any) -> Any:
    return tuple(value.replace(",", " ").lower().split()) if isinstance(value, str) else value


_Dataset = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][\w.-]*/[A-Za-z0-9_][\w.-]*$")]


class Settings(BaseSettings):
    """The limits and places of a leaderboard, each read from `STRUCTIOU_` and its name in capitals.

    Attributes:
        data: The folder of the database.
        benchmarks: The folder with a folder for each benchmark.
        benchmarks_dataset: A dataset of the Hub, perhaps private, that is used instead of that folder.
        admin_token: The host's token; without one there are no pages for the host.
        daily_per_user: How many submissions a signed-in user may make in 24 hours.
        daily_per_address: How many submissions a network address may make in 24 hours.
        upload_bytes: The most bytes of a submission, unpacked.
        scoring_seconds: The time that scoring a submission may take.
        scoring_bytes: The memory that scoring a submission may take.
        hub_dataset: A private dataset of the Hub to copy all results to, such as `owner/name`.
        require_login: Whether only users of the Hub may submit; by default where they can sign in.
        max_queued: How many submissions may wait to be scored.
        proxies: Networks of proxies whose header `X-Forwarded-For` is believed; on the Hub, its own.
        origins: Hosts of other pages whose forms and scripts may change something here.
        import_bytes: The most bytes of an export that the host may import over the web.
        look_seconds: The time between two looks at whether benchmarks have changed.
        clock: A file with the time, for rehearsals; None for the machine's clock.
        requests_per_minute: How many requests a network address may make in a minute.
        changes_per_minute: How many of them may be forms or calls that send something.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        str_strip_whitespace=True,
        hide_input_in_errors=True,  # the host's token is among the values
    )

    data: Path = Field(default_factory=_default_data)
    benchmarks: Path = _HERE / "benchmarks"
    admin_token: str | None = Field(default=None, repr=False)
    daily_per_user: PositiveInt = 5
    daily_per_address: PositiveInt = 20
    upload_bytes: PositiveInt = 20 * 2**20
    scoring_seconds: Annotated[float, Field(gt=0)] = 120.0
    scoring_bytes: PositiveInt = 4 * 2**30
    hub_dataset: _Dataset | None = None
    benchmarks_dataset: _Dataset | None = None
    require_login: bool = Field(default_factory=lambda: bool(os.environ.get("OAUTH_CLIENT_ID")))
    max_queued: PositiveInt = 200
    proxies: Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_read_networks)] = Field(
        default_factory=_default_proxies
    )
    origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_read_names)] = ()
    import_bytes: PositiveInt = 4 * 2**30
    look_seconds: Annotated[float, Field(gt=0)] = 10.0
    clock: Path | None = None
    requests_per_minute: PositiveInt = 1200
    changes_per_minute: PositiveInt = 120


def read_settings() -> Settings:
    """Return the settings of the environment; a ValueError names the variable that is wrong, and why."""
    try:
        return Settings()
    except ValidationError as error:
        lines = [
            f"{_PREFIX}{str(problem['loc'][0]).upper()}: {problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors()
        ]
        raise ValueError("; ".join(lines)) from None

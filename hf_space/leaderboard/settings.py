"""The settings of a host, made by environment variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from .people import Network, read_networks

_HUB_PROXIES = "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7"  # where its own proxies are
_SPACE_DATA = Path("/data")  # where a Space with persistent storage keeps it
_HERE = Path(__file__).resolve().parent.parent
_TRUTHS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


class Settings(NamedTuple):
    """The bounds and places of a leaderboard.

    Attributes:
        data: The folder of the database.
        benchmarks: The folder with a folder for each benchmark.
        benchmarks_dataset: A dataset of the Hub, perhaps private, that is used instead of that folder.
        admin_token: What opens the host's actions; without one there are none.
        daily_per_user: How many submissions a signed-in user may make in 24 hours.
        daily_per_address: How many submissions a network address may make in 24 hours.
        upload_bytes: The most bytes of a submission, unpacked.
        scoring_seconds: The time that scoring a submission may take.
        scoring_bytes: The memory that scoring a submission may take.
        hub_dataset: A private dataset of the Hub to copy all results to, such as `owner/name`.
        require_login: Whether only users of the Hub may submit; so where they can sign in, unless the host
            says otherwise.
        max_queued: How many submissions may wait to be scored.
        proxies: Networks whose word about the visitor's address counts; on the Hub, its own.
        origins: Hosts of pages, besides those of this server, that may send what changes something.
        import_bytes: The most bytes of an export that the host may import over the web.
        look_seconds: The time between two looks at whether benchmarks have changed.
        clock: A file that tells the time, for rehearsals; None for the machine's clock.
    """

    data: Path
    benchmarks: Path
    admin_token: str | None = None
    daily_per_user: int = 5
    daily_per_address: int = 20
    upload_bytes: int = 20 * 2**20
    scoring_seconds: float = 120.0
    scoring_bytes: int = 4 * 2**30
    hub_dataset: str | None = None
    benchmarks_dataset: str | None = None
    require_login: bool = False
    max_queued: int = 200
    proxies: tuple[Network, ...] = ()
    origins: tuple[str, ...] = ()
    import_bytes: int = 4 * 2**30
    look_seconds: float = 10.0
    clock: Path | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Reads `STRUCTIOU_DATA`, `STRUCTIOU_ADMIN_TOKEN` and so on, a variable for each attribute."""
        environ = os.environ if environ is None else environ
        default_data = _SPACE_DATA if _SPACE_DATA.is_dir() and "SPACE_ID" in environ else _HERE / "data"
        return cls(
            data=Path(_text(environ, "DATA") or default_data),
            benchmarks=Path(_text(environ, "BENCHMARKS") or _HERE / "benchmarks"),
            admin_token=_text(environ, "ADMIN_TOKEN"),
            daily_per_user=_number(environ, "DAILY_PER_USER", cls._field_defaults["daily_per_user"]),
            daily_per_address=_number(environ, "DAILY_PER_ADDRESS", cls._field_defaults["daily_per_address"]),
            upload_bytes=_number(environ, "UPLOAD_BYTES", cls._field_defaults["upload_bytes"]),
            scoring_seconds=_number(environ, "SCORING_SECONDS", int(cls._field_defaults["scoring_seconds"])),
            scoring_bytes=_number(environ, "SCORING_BYTES", cls._field_defaults["scoring_bytes"]),
            hub_dataset=_dataset(environ, "HUB_DATASET"),
            benchmarks_dataset=_dataset(environ, "BENCHMARKS_DATASET"),
            require_login=_truth(environ, "REQUIRE_LOGIN", bool(environ.get("OAUTH_CLIENT_ID"))),
            max_queued=_number(environ, "MAX_QUEUED", cls._field_defaults["max_queued"]),
            proxies=_networks(environ, "PROXIES", _HUB_PROXIES if "SPACE_ID" in environ else ""),
            origins=tuple((_text(environ, "ORIGINS") or "").replace(",", " ").lower().split()),
            import_bytes=_number(environ, "IMPORT_BYTES", cls._field_defaults["import_bytes"]),
            look_seconds=_number(environ, "LOOK_SECONDS", int(cls._field_defaults["look_seconds"])),
            clock=None if (clock := _text(environ, "CLOCK")) is None else Path(clock),
        )


def _text(environ: Mapping[str, str], name: str) -> str | None:
    return environ.get(f"STRUCTIOU_{name}", "").strip() or None


def _networks(environ: Mapping[str, str], name: str, default: str) -> tuple[Network, ...]:
    text = _text(environ, name) or default
    try:
        return read_networks(text)
    except ValueError as error:
        raise ValueError(f"STRUCTIOU_{name}={text}: {error}; give addresses or networks") from None


def _truth(environ: Mapping[str, str], name: str, default: bool) -> bool:
    text = (_text(environ, name) or str(int(default))).lower()
    if text not in _TRUTHS:
        raise ValueError(f"STRUCTIOU_{name}={text}: give 1 or 0")
    return _TRUTHS[text]


def _dataset(environ: Mapping[str, str], name: str) -> str | None:
    text = _text(environ, name)
    if text is not None and not re.fullmatch(r"\w[\w.-]*/\w[\w.-]*", text, re.ASCII):
        raise ValueError(f"STRUCTIOU_{name}={text}: give the name of a dataset, such as owner/name")
    return text


def _number(environ: Mapping[str, str], name: str, default: int) -> int:
    text = _text(environ, name)
    if text is None:
        return default
    if not re.fullmatch("[0-9]{1,15}", text) or int(text) < 1:
        raise ValueError(f"STRUCTIOU_{name}={text}: give a whole number from 1 on")
    return int(text)

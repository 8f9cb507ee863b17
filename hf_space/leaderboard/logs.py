"""Logs as lines of JSON on standard error: for programs that gather them, and without anything private.

Nothing that a visitor sends is logged. Messages of libraries are cut, and anything in them that looks like a
token is taken out.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

_MOST = 2_000  # characters of a message
_TOKENS = re.compile(
    r"(?i)\b(hf_[a-z0-9]{8,}|bearer\s+\S+|(?:token|key|secret|password)[\"']?\s*[=:]\s*[\"']?[^\s\"',}]+)"
)
_FIELDS = ("method", "path", "status", "seconds", "benchmark", "submission")  # that a record may have besides


class JsonLines(logging.Formatter):
    """A record as one line: time, level, logger, message, and the end of a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": clean_message(record.getMessage()),
        }
        line |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line["error"] = type(error).__name__
            # Where it happened, without the values that an error may quote.
            line["where"] = [
                f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(error.__traceback__)[-8:]
            ]
        return json.dumps(line, ensure_ascii=False)


def clean_message(text: str) -> str:
    """Return a message without tokens, and not too long."""
    return _TOKENS.sub("[not logged]", text[:_MOST])


def start_logs() -> None:
    """Send all logs of this process to standard error, as lines of JSON; to a terminal only warnings."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    level = logging.WARNING if sys.stderr.isatty() else logging.INFO
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("httpx", "httpcore", "uvicorn.access", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)

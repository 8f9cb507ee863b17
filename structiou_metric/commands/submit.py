"""`structiou submit`: submit predictions to a leaderboard."""

from __future__ import annotations

import argparse
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..metrics import METRICS, metric_class
from ..sources.files import TreeFile
from ..terminal import printable
from ..wording import count
from . import inputs, outputs

USAGE = "[PREDICTION …] --to SPACE [--benchmark NAME --system NAME] [options]"
DESCRIPTION = "Submits predicted trees to a leaderboard and reports how they rank."
EPILOG = """\
examples:
  structiou submit parsed.txt --to owner/structiou --benchmark hebrew --system "our parser"
  structiou submit parsed.txt.gz --to http://127.0.0.1:7860 --benchmark english/dev --system baseline --json
  structiou submit hebrew.txt polish.txt --to owner/structiou --benchmark languages --system "our parser"
  STRUCTIOU_SECRET=… structiou submit better.txt --to owner/structiou --benchmark hebrew --system "our parser"
  structiou submit --to owner/structiou --make-team Owls
  STRUCTIOU_TEAM_KEY=… structiou submit x.txt --to owner/structiou --benchmark hebrew --system x --team Owls
  STRUCTIOU_SECRET=… structiou submit --to owner/structiou --withdraw 0123456789abcdef

The first submission returns a secret, which is shown only once. With it a later submission replaces
this one on the board, and --withdraw removes it. Users who are signed in on the pages
of the leaderboard can get a new secret there.
"""

_ANSWER_SECONDS = 300.0  # maximum duration of a request; checking a large file takes a while
_SCORE_SECONDS = 600.0  # maximum time to wait for a score
_PAUSE_SECONDS = 1.0


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add(
        "predictions",
        nargs="*",
        metavar="PREDICTION",
        help="treebank, as for score; - is standard input; for a benchmark of several parts a file for each, "
        "named after it (hebrew.txt)",
    )
    add("--to", required=True, metavar="SPACE", help="a Space, such as owner/name, or an address")
    add("--benchmark", metavar="NAME", help="which benchmark of the leaderboard, and which phase: NAME/PHASE")
    add("--system", metavar="NAME", help="the name of the system")
    add("--link", default="", metavar="URL", help="a paper or repository")
    add("--contact", default="", metavar="TEXT", help="only the host sees it")
    add(
        "--secret",
        metavar="TEXT",
        help="of an earlier submission, to replace or withdraw it; by default the variable STRUCTIOU_SECRET",
    )
    add("--team", default="", metavar="NAME", help="submit for a team of the leaderboard")
    add("--team-key", metavar="TEXT", help="the key of the team; by default the variable STRUCTIOU_TEAM_KEY")
    add("--make-team", metavar="NAME", help="make a team and print its key, instead of submitting")
    add("--withdraw", metavar="ID", help="take a submission off the board, instead of submitting")
    add("--undo", action="store_true", help="with --withdraw: put it back")
    add("--json", action="store_true", help="JSON for programs instead of text")
    inputs.add_reading(parser)


def run(args: argparse.Namespace) -> str:
    """Submit the files, make a team, or withdraw a submission."""
    try:
        answer, text = _act(args, _address(args.to))
    except (KeyError, TypeError):
        raise ValueError(f"{args.to} is no leaderboard of this kind; its answer cannot be read") from None
    return outputs.as_json("submit", answer) if args.json else _shown(text)


def _act(args: argparse.Namespace, address: str) -> tuple[dict[str, Any], str]:
    """Send the request of the arguments; return the answer of the leaderboard, and the same as text."""
    secret = _hidden(args.secret, "STRUCTIOU_SECRET")
    if args.make_team is not None:
        answer = _call(f"{address}/api/teams", {"name": args.make_team})
        text = f"team {answer['team']}\nkey, shown only once: {answer['key']}\n"
    elif args.withdraw is not None:
        key = _hidden(args.team_key, "STRUCTIOU_TEAM_KEY") or secret
        place = f"{address}/api/submissions/{quote(args.withdraw, safe='')}/withdraw"
        answer = _call(place, {"key": key, "undo": args.undo})
        text = f"{'withdrawn' if answer['withdrawn'] else 'back on the board'}: {answer['system']}\n"
    else:
        answer = _submit(args, address, secret)
        text = _receipt(answer)
    return answer, text


def _submit(args: argparse.Namespace, address: str, secret: str) -> dict[str, Any]:
    """Submit the files and wait for the score."""
    for name, value in (
        ("PREDICTION", args.predictions),
        ("--benchmark", args.benchmark),
        ("--system", args.system),
    ):
        if not value:
            raise ValueError(f"{name} is missing; a submission needs PREDICTION, --benchmark and --system")
    if args.team_key is not None and not args.team:
        raise ValueError("--team-key is the key of a team; name the team by --team")
    benchmark, _, phase = args.benchmark.partition("/")
    body = {
        "benchmark": benchmark,
        "phase": phase,
        "system": args.system,
        "files": _read(args),
        "link": args.link,
        "contact": args.contact,
        "secret": secret,
        "team": args.team,
        "team_key": _hidden(args.team_key, "STRUCTIOU_TEAM_KEY") if args.team else "",
    }
    accepted = _call(f"{address}/api/submissions", body, ", ".join(args.predictions))
    found = accepted
    end = time.monotonic() + _SCORE_SECONDS
    while found.get("state") == "queued" and time.monotonic() < end:
        time.sleep(_PAUSE_SECONDS)
        found = _call(f"{address}/api/submissions/{accepted['id']}")
    return {**accepted, **found}


def _read(args: argparse.Namespace) -> dict[str, str]:
    """Return the texts of the files by their parts: the names of the files up to the first dot."""
    texts: dict[str, str] = {}
    for path in args.predictions:
        name = Path(path).name.partition(".")[0] if len(args.predictions) > 1 else "predictions"
        if name in texts:
            raise ValueError(f"two files are called {name}; give each the name of its part")
        rows = inputs.reading_of(args).rows(path)
        if isinstance(rows, TreeFile) and len(rows.files) == 1:
            texts[name] = rows.whole()
        else:  # trees of any other format are sent as brackets
            texts[name] = "".join(f"{rows.tree(row, None)}\n" for row in range(len(rows)))
    return texts


def _hidden(given: str | None, variable: str) -> str:
    """Return the given value, or that of a variable, which other users of a machine do not see."""
    return os.environ.get(variable, "") if given is None else given


def _address(space: str) -> str:
    """Return the address of a Space, such as `https://owner-name.hf.space`."""
    if re.match(r"https?://[^/]", space):
        return space.rstrip("/")
    if re.fullmatch(r"[\w.-]+/[\w.-]+", space):
        return f"https://{re.sub('[^a-z0-9]+', '-', space.lower()).strip('-')}.hf.space"
    raise ValueError(
        f"--to {space}: give a Space, such as owner/name, or an address that begins with https://"
    )


def _call(place: str, body: dict[str, Any] | None = None, title: str = "") -> dict[str, Any]:
    """Return the answer of the leaderboard; raise its refusals as ValueErrors that explain the cure."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(place, data, {"Content-Type": "application/json"})
    try:
        try:
            with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS) as answer:
                found = json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                refusal = json.load(error)
            raise ValueError(_refusal(place, title, refusal)) from None
        if not isinstance(found, dict):
            raise json.JSONDecodeError("no object", "", 0)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(f"{place} is no leaderboard of this kind; its answer cannot be read") from None
    except OSError as error:
        raise OSError(f"{place} cannot be reached: {_shown(error)}") from None
    return found


def _shown(text: Any) -> str:
    """Return text of the server without control characters, which a terminal would obey."""
    return "\n".join(printable(line) if line else "" for line in str(text).split("\n"))


def _refusal(place: str, title: str, answer: Any) -> str:
    """Return why the leaderboard refused; for a refused file, row by row."""
    if not isinstance(answer, dict) or not isinstance(answer.get("problems"), list):
        detail = answer.get("detail") if isinstance(answer, dict) else answer
        return f"{place}: {_shown(detail)}"
    lines = [f"{title} was not accepted, and does not count:"]
    for problem in answer["problems"]:
        message = _shown(problem["message"])
        lines.append(f"row {int(problem['row'])}: {message}" if problem["row"] else message)
    left = answer["n_problems"] - len(answer["problems"])
    return "\n".join([*lines, f"and {count(left, 'more row')}"] if left else lines)


def _receipt(answer: dict[str, Any]) -> str:
    """Return the state of a submission, with its figures if they may be seen."""
    lines = [f"accepted as {answer['id']}: {answer['state']}"]
    if answer["problem"]:
        lines.append(answer["problem"])
    if answer.get("hidden_until"):
        lines.append(f"scores are shown from {answer['hidden_until']} on")
    if answer.get("durability"):
        lines.append(answer["durability"])
    if answer.get("secret"):
        lines.append(f"secret, to replace or withdraw it, shown only once: {answer['secret']}")
    if isinstance(answer.get("rank"), int):
        lines.append(f"{'rank':<25}  {answer['rank']:>8d}")
    for metric in map(metric_class, METRICS):
        for key, measure in metric.MEASURES.items():
            if measure.compared and isinstance(answer.get(key), float):
                title = f"{metric.title}, {measure.title}"
                lines.append(f"{title:<25}  {answer[key]:>8.{int(answer['digits'])}f}")
    lines += [f"warning: {warning['message']}" for warning in answer.get("warnings") or ()]
    return "".join(f"{line}\n" for line in lines)

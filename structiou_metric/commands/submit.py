"""`structiou submit`: predictions for a leaderboard."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from ..metrics import METRICS, metric_class
from ..optional import need
from ..sources.files import TreeFile
from ..terminal import printable
from ..wording import count
from . import inputs, outputs

USAGE = "PREDICTION --to SPACE --benchmark NAME --system NAME [options]"
DESCRIPTION = "Submits predicted trees to a leaderboard and tells how they rank."
EPILOG = """\
examples:
  structiou submit parsed.txt --to owner/structiou --benchmark hebrew --system "our parser"
  structiou submit parsed.txt.gz --to http://127.0.0.1:7860 --benchmark english --system baseline --json
  STRUCTIOU_SECRET=… structiou submit better.txt --to owner/structiou --benchmark hebrew --system "our parser"
  STRUCTIOU_TEAM_KEY=… structiou submit x.txt --to owner/structiou --benchmark hebrew --system x --team Owls

The first submission gives a secret, which is told only once. With it a later one replaces it on the board,
and the page of the leaderboard withdraws it; who is signed in there can have one made.
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Adds the arguments."""
    parser.add_argument(
        "prediction", metavar="PREDICTION", help="treebank, as for score; - is standard input"
    )
    parser.add_argument(
        "--to", required=True, metavar="SPACE", help="a Space, such as owner/name, or an address"
    )
    parser.add_argument(
        "--benchmark", required=True, metavar="NAME", help="which benchmark of the leaderboard"
    )
    parser.add_argument("--system", required=True, metavar="NAME", help="what to call the system")
    parser.add_argument("--link", default="", metavar="URL", help="a paper or repository")
    parser.add_argument("--contact", default="", metavar="TEXT", help="only the host sees it")
    parser.add_argument(
        "--secret",
        default=None,
        metavar="TEXT",
        help="of an earlier submission, to replace it; by default the variable STRUCTIOU_SECRET",
    )
    parser.add_argument("--team", default="", metavar="NAME", help="submit for a team of the leaderboard")
    parser.add_argument(
        "--team-key",
        default=None,
        metavar="TEXT",
        help="that was told to who made the team; by default the variable STRUCTIOU_TEAM_KEY",
    )
    parser.add_argument("--json", action="store_true", help="JSON for programs instead of text")
    inputs.add_reading(parser)


def run(args: argparse.Namespace) -> str:
    """Submits the file."""
    text, title = _read(args)
    secret = _hidden(args.secret, "STRUCTIOU_SECRET")
    about = [args.link, args.contact]
    sent: Any = text
    endpoint = "/submit"
    if args.team:
        endpoint, sent = "/submit_files", {"predictions": text}  # its name counts where there are several
        about += [args.team, _hidden(args.team_key, "STRUCTIOU_TEAM_KEY")]
    elif args.team_key is not None:
        raise ValueError("--team-key is the key of a team; say which by --team")
    values = [args.benchmark, args.system, sent, *about, *([secret] if secret else [])]
    answer = _call(args.to, endpoint, *values)
    try:
        if answer["accepted"]:
            return outputs.as_json("submit", answer) if args.json else _receipt(answer)
        message = _problems(title, answer)
    except (KeyError, TypeError):
        raise ValueError(f"{args.to} is no leaderboard of this kind; its answer cannot be read") from None
    raise ValueError(message)


def _read(args: argparse.Namespace) -> tuple[str, str]:
    """One file of brackets as it is, any other treebank as brackets, a tree a line; and what to call it."""
    rows = inputs.reading_of(args).rows(args.prediction)
    if isinstance(rows, TreeFile) and len(rows.files) == 1:
        return rows.whole(), rows.files[0][0]
    return "".join(f"{rows.tree(row, None)}\n" for row in range(len(rows))), rows.title


def _hidden(given: str | None, variable: str) -> str:
    """What was given, or stands in the environment, where other users of a machine do not see it."""
    return os.environ.get(variable, "") if given is None else given


def _call(space: str, endpoint: str, *values: Any) -> Any:
    client = need("gradio_client", "submit", "a submission")
    refusal = need("gradio_client.exceptions", "submit", "a submission").AppError
    try:
        return client.Client(space, verbose=False, analytics_enabled=False, download_files=False).predict(
            *values, api_name=endpoint
        )
    except refusal as error:
        raise ValueError(f"{space}: {_shown(str(error))}") from None
    except Exception as error:  # of whatever library the client uses for its connections
        raise OSError(f"{space} cannot be reached: {_shown(str(error))}") from None


def _shown(text: Any) -> str:
    """Text of the server, without anything that would do something to a terminal."""
    return "\n".join(printable(line) if line else "" for line in str(text).split("\n"))


def _problems(title: str, answer: dict[str, Any]) -> str:
    lines = [f"{title} was not accepted, and does not count:"]
    for problem in answer["problems"]:
        message = _shown(problem["message"])
        lines.append(f"row {int(problem['row'])}: {message}" if problem["row"] else message)
    left = answer["n_problems"] - len(answer["problems"])
    return "\n".join([*lines, f"and {count(left, 'more row')}"] if left else lines)


def _receipt(answer: dict[str, Any]) -> str:
    lines = [_shown(f"accepted as {answer['id']}: {answer['state']}")]
    if answer["problem"]:
        lines.append(_shown(answer["problem"]))
    if answer.get("secret"):
        lines.append(_shown(f"secret, to replace or withdraw it, told only once: {answer['secret']}"))
    if isinstance(answer.get("rank"), int):
        lines.append(f"{'rank':<25}  {answer['rank']:>8d}")
    for metric in map(metric_class, METRICS):
        for key, measure in metric.MEASURES.items():
            if measure.compared and isinstance(answer.get(key), float):
                lines.append(f"{f'{metric.title}, {measure.title}':<25}  {answer[key]:>8.4f}")
    notices = answer.get("notices") or ()
    return "\n".join([*lines, *(_shown(f"notice: {notice['message']}") for notice in notices), ""])

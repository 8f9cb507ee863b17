"""The named endpoints for programs; `gradio_client` calls them, and so does `structiou submit`."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import gradio as gr
from gradio.events import api

from leaderboard.file_scores import score_files_apart
from leaderboard.ranking import Entry
from leaderboard.service import Leaderboard
from leaderboard.store import Submission
from leaderboard.uploads import UploadError
from pages.board import rounded_figures
from pages.controls import DEFAULTS, OPTIONS, read_options, visitor_of
from pages.files import SCORING
from pages.submission import SUBMITTING
from pages.trees import COMPARING, compare_trees, lane_for

_PATIENCE = 60.0  # seconds that a call waits for a score


def add_endpoints(board: Leaderboard) -> None:
    """Adds all endpoints to the app that is being built."""
    settings = board.settings

    def score_pair(prediction: str, reference: str, *values: Any) -> dict[str, Any]:
        """Two trees in brackets: score, precision, recall, signature and the aligned nodes."""
        try:
            with lane_for(prediction, reference):
                options = dict(zip(OPTIONS, values, strict=True))
                metric, alignment = compare_trees(prediction, reference, options)
        except (ValueError, TypeError) as error:
            raise gr.Error(str(error), print_exception=False) from None
        return {**alignment.as_dict(), "signature": metric.signature}

    def score_files(predictions: str, references: str, *values: Any) -> dict[str, Any]:
        """Two files, as text: all figures, and those of each sentence if asked for."""
        *chosen, per_sentence = values
        try:
            metric = read_options(dict(zip(OPTIONS, chosen, strict=True)))
            texts = [_bounded(text, settings.upload_bytes) for text in (predictions, references)]
            found = score_files_apart(texts[0], texts[1], metric, settings)
        except (ValueError, TypeError) as error:
            raise gr.Error(str(error), print_exception=False) from None
        return found.as_dict(per_sentence=per_sentence)

    def benchmarks() -> list[dict[str, Any]]:
        """The benchmarks that can be submitted to."""
        return [
            {
                "name": item.name,
                "title": item.title,
                "language": item.language,
                "description": item.description,
                "signatures": {name: metric.signature for name, metric in item.metrics.items()},
                "rank_by": item.rank_by,
                "rules": list(item.gold.rules()),
            }
            for item in board.benchmarks.values()
        ]

    def leaderboard(benchmark: str) -> list[dict[str, Any]]:
        """The table of a benchmark, best first."""
        try:
            entries = board.board(benchmark)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None
        return [_row(entry) for entry in entries]

    def submit(
        benchmark: str,
        system: str,
        predictions: str,
        link: str,
        contact: str,
        request: gr.Request,
        secret: str = "",
    ) -> dict[str, Any]:
        """Predictions for a benchmark, as text; `accepted` says whether they count."""
        try:
            data = _bounded(predictions, settings.upload_bytes)
            visitor = visitor_of(request, None, settings)
            accepted = board.submit(visitor, benchmark, system, link, contact, data, secret)
            known = _public(board, board.wait(accepted.id, _PATIENCE))
            if accepted.secret:
                known["secret"] = accepted.secret
        except UploadError as error:
            problems = [{"row": row, "message": message} for row, message in error.problems]
            return {"accepted": False, "problems": problems, "n_problems": error.n_problems}
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None
        return {"accepted": True, **known}

    def submission(id: str) -> dict[str, Any]:
        """What became of a submission."""
        try:
            found, _, _ = board.system(id if isinstance(id, str) else "")
            return _public(board, found)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None

    def withdraw(id: str, secret: str, request: gr.Request) -> str:
        """Takes a system off the board, for who has the secret that came with a submission of it."""
        try:
            return board.withdraw(
                visitor_of(request, None, settings), id if isinstance(id, str) else "", secret
            )
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None

    _name_arguments(score_pair, **DEFAULTS)
    _name_arguments(score_files, **DEFAULTS, per_sentence=False)
    for function, bounds in (
        (score_pair, COMPARING),
        (score_files, SCORING),
        (benchmarks, {}),
        (leaderboard, {}),
        (submit, SUBMITTING),
        (submission, {}),
        (withdraw, {}),
    ):
        api(function, api_name=function.__name__, **bounds)


def _name_arguments(function: Callable[..., Any], **defaults: Any) -> None:
    """Gives the `*values` of an endpoint the names, kinds and defaults that Gradio tells clients of."""
    hints = {**function.__annotations__, **{name: type(value) for name, value in defaults.items()}}
    del hints["values"]
    parameters = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=defaults.get(name, Parameter.empty))
        for name in hints
        if name != "return"
    ]
    function.__annotations__ = hints
    signature = Signature(parameters, return_annotation=hints["return"])
    function.__signature__ = signature  # type: ignore[attr-defined]


def _bounded(text: Any, limit: int) -> bytes:
    if not isinstance(text, str):
        raise ValueError("send the trees as text")
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > limit:
        raise UploadError([(0, f"the text is larger than {limit:,} bytes; make it smaller")])
    return data


def _row(entry: Entry) -> dict[str, Any]:
    """A line of the table, with no more digits than a page shows: they would tell single sentences."""
    result, interval = entry.result, entry.interval
    row = {
        "rank": entry.rank,
        "group": entry.group,
        "interval": interval and [round(bound, entry.digits) for bound in (interval.low, interval.high)],
        "interval_method": interval and interval.method,
        **{name: getattr(entry.submission, name) for name in ("id", "system", "owner", "link", "received")},
        "n_empty": result["n_empty"],
    }
    for name in result["metrics"]:
        row |= rounded_figures(result, name)
    return row


def _public(board: Leaderboard, submission: Submission) -> dict[str, Any]:
    """What everybody may know of a submission, and of its line in the table if it has one."""
    known: dict[str, Any] = {
        name: getattr(submission, name) for name in ("id", "benchmark", "system", "state", "problem")
    }
    for entry in board.board(submission.benchmark):
        if entry.submission.id == submission.id:
            known |= {**_row(entry), "notices": entry.result.get("notices", [])}
    return known

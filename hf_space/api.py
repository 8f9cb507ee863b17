"""The named endpoints for programs; `gradio_client` calls them, and so does `structiou submit`."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import gradio as gr
from gradio.events import api

from leaderboard.file_scores import score_uploaded_files
from leaderboard.people import Visitor
from leaderboard.phases import Phase
from leaderboard.service import Leaderboard
from leaderboard.store import Submission
from leaderboard.uploads import UploadError, join_parts
from pages.choices import read_choice
from pages.controls import DEFAULTS, OPTIONS, read_options, visitor_of
from pages.files import SCORING
from pages.rows import public_row
from pages.submission import SUBMITTING
from pages.trees import COMPARING, comparing

_PATIENCE = 60.0  # seconds that a call waits for a score


def add_endpoints(board: Leaderboard) -> None:
    """Adds all endpoints to the app that is being built."""
    settings = board.settings

    def score_pair(prediction: str, reference: str, *values: Any) -> dict[str, Any]:
        """Scores two trees in brackets: score, precision, recall, signature and the aligned nodes."""
        try:
            options = dict(zip(OPTIONS, values, strict=True))
            with comparing(prediction, reference, options) as (metric, alignment):
                return {**alignment.as_dict(), "signature": metric.signature}
        except (ValueError, TypeError) as error:
            raise gr.Error(str(error), print_exception=False) from None

    def score_files(predictions: str, references: str, *values: Any) -> dict[str, Any]:
        """Scores two files, given as text: all figures, and those of each sentence if asked for."""
        *chosen, per_sentence = values
        try:
            metric = read_options(dict(zip(OPTIONS, chosen, strict=True)))
            texts = [_bounded(text, settings.upload_bytes) for text in (predictions, references)]
            found = score_uploaded_files(texts[0], texts[1], metric, settings)
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
                "parts": list(item.parts),
                "teams": item.teams,
                "citation": item.citation,
                "licence": item.licence,
                "phases": [_phase(phase, board.clock()) for phase in item.phases],
                "announcements": [
                    {"time": told.time, "text": told.text} for told in board.announcements.all(item.name)
                ],
            }
            for item in board.benchmarks.values()
        ]

    def leaderboard(benchmark: str) -> list[dict[str, Any]]:
        """The table of a benchmark, best first; `name/phase` names a phase other than the last one."""
        try:
            chosen, late = read_choice(board, benchmark)
            entries = board.board(chosen.name, chosen.phase, late=late)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None
        return [public_row(entry) for entry in entries]

    def send(
        visitor: Visitor, benchmark: Any, fields: tuple[str, str, str], data: bytes, secret: Any, **team: str
    ) -> dict[str, Any]:
        """What became of a submission; `benchmark` may name the phase, too."""
        name, _, phase = (benchmark if isinstance(benchmark, str) else "").partition("/")
        accepted = board.submit(visitor, name, *fields, data, secret, phase=phase, **team)
        told = {"secret": accepted.secret} if accepted.secret else {}
        return {"accepted": True, **_public(board, board.wait(accepted.id, _PATIENCE)), **told}

    def submit(
        benchmark: str,
        system: str,
        predictions: str,
        link: str,
        contact: str,
        request: gr.Request,
        secret: str = "",
    ) -> dict[str, Any]:
        """Submits predictions for a benchmark, as text; `accepted` says whether they count."""
        try:
            data = _bounded(predictions, settings.upload_bytes)
            visitor = visitor_of(request, None, settings)
            return send(visitor, benchmark, (system, link, contact), data, secret)
        except UploadError as error:
            return _refusal(error)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None

    def submit_files(
        benchmark: str,
        system: str,
        files: dict[str, Any],
        link: str,
        contact: str,
        team: str,
        team_key: str,
        request: gr.Request,
        secret: str = "",
    ) -> dict[str, Any]:
        """Submits for a team, and for benchmarks with parts: texts by the names of their parts."""
        try:
            data = join_texts(files, settings.upload_bytes)
            visitor = visitor_of(request, None, settings)
            fields = (system, link, contact)
            return send(visitor, benchmark, fields, data, secret, team=team or "", team_key=team_key or "")
        except UploadError as error:
            return _refusal(error)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None

    def make_team(name: str, request: gr.Request) -> dict[str, str]:
        """Makes a team of that name; its key is told this once."""
        try:
            made, key = board.make_team(name, visitor_of(request, None, settings))
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None
        return {"team": made, "key": key}

    def submission(id: str) -> dict[str, Any]:
        """What became of a submission."""
        try:
            found, _, _ = board.system(id if isinstance(id, str) else "")
            return _public(board, found)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None

    def withdraw(id: str, key: str, request: gr.Request, undo: bool = False) -> dict[str, Any]:
        """Takes a submission off the board for who has its secret or its team's key, or puts it back."""
        try:
            visitor = visitor_of(request, None, settings)
            known = board.withdraw_own(visitor, str(id), key, undo=bool(undo))
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None
        return {"id": known.id, "system": known.system, "withdrawn": bool(known.removed)}

    _name_arguments(score_pair, **DEFAULTS)
    _name_arguments(score_files, **DEFAULTS, per_sentence=False)
    for function, bounds in (
        (score_pair, COMPARING),
        (score_files, SCORING),
        (benchmarks, {}),
        (leaderboard, {}),
        (submit, SUBMITTING),
        (submit_files, SUBMITTING),
        (submission, {}),
        (make_team, {}),
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


def join_texts(files: Any, limit: int) -> bytes:
    """One upload of the texts of several files; a single one stays as it is."""
    if not isinstance(files, dict) or not files:
        raise ValueError("send a dict with the text of a file for each part")
    texts = {str(name): _bounded(text, limit // len(files)) for name, text in files.items()}
    return join_parts(texts) if len(texts) > 1 else next(iter(texts.values()))


def _refusal(error: UploadError) -> dict[str, Any]:
    problems = [{"row": row, "message": message} for row, message in error.problems]
    return {"accepted": False, "problems": problems, "n_problems": error.n_problems}


def _phase(phase: Phase, now: float) -> dict[str, Any]:
    """What a program may want to know of a phase; times are in seconds since 1970."""
    told = ("name", "title", "opens", "closes", "scores_from", "zone", "per_day", "in_total", "late")
    return {**{name: getattr(phase, name) for name in told}, "state": phase.state(now)}


def _public(board: Leaderboard, submission: Submission) -> dict[str, Any]:
    """What everybody may know of a submission, and of its line in the table if it has one."""
    known: dict[str, Any] = {
        name: getattr(submission, name) for name in ("id", "benchmark", "system", "state", "problem")
    }
    known |= {name: getattr(submission, name) for name in ("phase", "team", "late")}
    if hidden := board.hidden_until(submission.benchmark, submission.phase):
        return {**known, "hidden_until": hidden}
    for entry in board.board_of(submission):
        if entry.submission.id == submission.id:
            known |= {**public_row(entry), "warnings": entry.result.get("warnings", [])}
    return known

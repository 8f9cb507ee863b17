"""The pages for visitors and submitters."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, File, Form, Query, Request, UploadFile
from markupsafe import Markup
from starlette.responses import FileResponse, HTMLResponse, Response

from leaderboard.benchmarks import Benchmark
from leaderboard.comparing import Comparer
from leaderboard.fields import FieldError
from leaderboard.file_scores import score_uploaded_files
from leaderboard.privacy import DIGITS
from leaderboard.service import Leaderboard
from leaderboard.transfer import as_csv
from structiou_metric import StructIoU, report
from structiou_metric.report.pair import DEFAULTS, EXAMPLES, OPTIONS, read_form, show_drawing, show_reasons
from structiou_metric.report.scores import text_rows

from .api import join_files
from .context import Asking, Board, show_page
from .errors import explain, status_of
from .render import FOLDER, problems_of, show_value
from .views import (
    GROUPS,
    INTERVAL,
    Chosen,
    board_choices,
    columns_of,
    methods_of,
    plot_intervals,
    read_choice,
    rounded_figures,
    value_of,
)

router = APIRouter(default_response_class=HTMLResponse)

_WORST_SENTENCES = 3  # drawn on the page of a system
_MAX_BARS, _MAX_RANKS, _MAX_PROBLEMS = 20, 12, 10
_CARD = FOLDER.parent / "README.md"
_FIRST_EXAMPLE = "The telescope"
_MEANINGS = {
    "The paper’s first figure": "Speech without text: the prediction has a verb that nobody said.",
    _FIRST_EXAMPLE: "The prediction attaches the telescope to the cat: its second NP has no partner.",
    "Hebrew, by characters": "The parser split a word in two, so the trees are compared over characters.",
    "Speech, by seconds": "A recogniser found other times for words: bars are filled where partners overlap.",
}


@router.get("/static/pair.{kind}", response_class=FileResponse)
def send_pair_file(kind: Literal["css", "js"]) -> FileResponse:
    """Return the style or the script of drawings, which the package has."""
    return FileResponse(str(files(report) / "templates" / f"pair.{kind}"))


# ---- the first page --------------------------------------------------------------------------------


@router.get("/")
def show_start(request: Request) -> HTMLResponse:
    """Return the first page, which explains the metric and leads to the other pages."""
    first, *others = sorted(_examples(), key=lambda example: example["title"] != _FIRST_EXAMPLE)
    return show_page(request, "start.html", first=first, others=others, citation=_citation())


@cache
def _examples() -> list[dict[str, Any]]:
    found = []
    for number, (title, (reference, prediction, unit)) in enumerate(EXAMPLES.items()):
        alignment = StructIoU(unit=unit).align(prediction, reference)
        drawing = Markup(show_drawing(alignment, tools=False))
        about = {"title": title, "meaning": _MEANINGS[title], "number": number}
        found.append({**about, "score": alignment.score, "drawing": drawing})
    return found


@cache
def _citation() -> str:
    """Return the paper in BibTeX, as the metric card has it."""
    found = re.search(r"```bibtex\n(.*?)```", _CARD.read_text("utf-8"), re.DOTALL)
    if found is None:
        raise ValueError(f"{_CARD.name} has no block of BibTeX; write one as in the released card")
    return found[1].rstrip()


# ---- boards and systems ----------------------------------------------------------------------------


@router.get("/board")
def show_board(
    request: Request,
    board: Board,
    benchmark: str = "",
    by: str = "",
    best: bool = False,
    column: Annotated[list[str], Query()] = [],  # noqa: B006 (FastAPI copies it)
) -> HTMLResponse:
    """Return the table of systems of a benchmark."""
    chosen = read_choice(board, benchmark)
    item = chosen.benchmark
    entries = board.board(item.name, item.phase, late=chosen.late)
    owners = sorted({entry.submission.by for entry in entries})
    picked = [
        entry
        for entry in entries
        if (by not in owners or entry.submission.by == by)
        and (not best or (entry.group == 1 and not entry.old))
    ]
    columns = columns_of(item)
    shown = [each for each in columns if (each.title in column if column else each.always)]
    return show_page(
        request,
        "board.html",
        choices=board_choices(board),
        titles=dict(board_choices(board)),
        value=value_of(chosen),
        benchmark=item,
        late=chosen.late,
        all_columns=[each for each in columns if each.title not in ("rank", "system")],
        columns=[each for each in shown if each.title not in ("rank", "system")],
        interval=INTERVAL,
        entries=picked,
        n_entries=len(entries),
        plots=plot_intervals(entries),
        owners=owners,
        by=by,
        best=best,
        updated=max((entry.submission.received for entry in entries), default=None),
        hidden=board.hidden_until(item.name, item.phase),
        query=_table_query(chosen),
        **_about_task(board, chosen),
        groups=GROUPS[item.gold.public],
        methods=methods_of(entries),
        n_rows=entries[0].result["n_sentences"] if entries else None,
    )


def _table_query(chosen: Chosen) -> str:
    """Return the query in the address of the table of a board."""
    values = {"phase": chosen.benchmark.phase, "late": "1" if chosen.late else ""}
    query = urlencode({name: value for name, value in values.items() if value})
    return f"?{query}" if query else ""


def _about_task(board: Leaderboard, chosen: Chosen) -> dict[str, Any]:
    """Return the announcements, phases and state of a benchmark."""
    item, now = chosen.benchmark, board.clock()
    hidden = board.hidden_until(item.name, item.phase)
    entries = [] if hidden else board.full_board(item, late=chosen.late)
    return {
        "announcements": board.announcements.all(item.name),
        "is_broken": item.name in board.catalogue.broken,
        "phases": [(phase, phase.describe(now)) for phase in item.phases],
        "n_old": sum(entry.old for entry in entries),
    }


@router.get("/system/{id_}")
def show_system(request: Request, board: Board, id_: str) -> HTMLResponse:
    """Return the page of a system, by one of its submissions."""
    submission, result, versions = board.system(id_)
    item = board.benchmark(submission.benchmark).in_phase(submission.phase)
    entries = board.board_of(submission)
    own = next((entry for entry in entries if entry.submission.id == submission.id), None)
    chosen = Chosen(item, submission.late)
    ranks = board.history(id_)
    return show_page(
        request,
        "system.html",
        submission=submission,
        benchmark=item,
        value=value_of(chosen),
        title=dict(board_choices(board)).get(value_of(chosen), item.title),
        figures=_figures(item, own),
        digits=own.digits if own else DIGITS,
        hidden=board.hidden_until(item.name, item.phase),
        result=result,
        tables=[] if result is None else _tables(item, result),
        worst=_worst(board, item, id_) if result is not None else [],
        ranks=ranks[-1 : -_MAX_RANKS - 1 : -1] if len(ranks) > 1 else [],
        others=[
            entry.submission
            for entry in entries
            if own and not own.old and entry.submission.id != submission.id and not entry.old
        ],
        versions=versions,
    )


def _figures(benchmark: Benchmark, entry: Any) -> list[tuple[str, str]]:
    """Return the cells of a system in the table; none if it is not there."""
    if entry is None:
        return []
    cells = [(column.title, column.text(entry)) for column in columns_of(benchmark)]
    return [(title, text) for title, text in cells if title not in ("system", "by", "date") and text != "—"]


def _tables(benchmark: Benchmark, result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the scores by label, by length and by part as bars."""
    name, noun = benchmark.metric.name, f"{benchmark.noun}s"
    metric, measure = benchmark.ranking
    parts = []
    for part, own in result.get("parts", {}).items():
        value = rounded_figures(own, metric.name).get(benchmark.rank_by)
        if value is not None and measure.limits == (0.0, 1.0):
            parts.append((part, value, own["n_sentences"]))
    labels = [(row["label"] or "(no label)", row[name], row["n_ref"]) for row in result["labels"]]
    lengths = [(row["words"], row[name], row["n_sentences"]) for row in result["lengths"]]
    tables = [
        {"title": "By part", "heads": ("part", metric.title, noun), "rows": parts},
        {"title": "By label", "heads": ("label", benchmark.metric.title, "nodes"), "rows": labels},
        {
            "title": "By words of the reference",
            "heads": ("words", benchmark.metric.title, noun),
            "rows": lengths,
        },
    ]
    return [
        {**table, "rows": table["rows"][:_MAX_BARS], "n_more": max(0, len(table["rows"]) - _MAX_BARS)}
        for table in tables
        if table["rows"]
    ]


def _worst(board: Leaderboard, benchmark: Benchmark, id_: str) -> list[tuple[int, Any, Any]]:
    """Return row, reasons and drawing of the sentences with the lowest scores, where they may be shown."""
    if not benchmark.show_sentences or benchmark.parts:
        return []
    return [
        (row, Markup(show_reasons(alignment)), Markup(show_drawing(alignment, causes=True)))
        for row, alignment in board.worst_sentences(id_, _WORST_SENTENCES)
    ]


@router.get("/compare")
def show_comparison(request: Request, system: Annotated[list[str], Query()] = []) -> HTMLResponse:  # noqa: B006
    """Return how two systems of a board differ."""
    if len(system) != 2:
        raise FieldError(f"{len(system)} systems were chosen; tick two of them in the table")
    comparer: Comparer = request.app.state.comparer
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
    return HTMLResponse(comparer.page(*system), headers={"Content-Security-Policy": policy})


# ---- submitting ------------------------------------------------------------------------------------


def _show_submit(
    request: Request, board: Leaderboard, value: str, *, status: int = 200, **more: Any
) -> HTMLResponse:
    chosen = read_choice(board, value)
    phase = next((phase for phase in chosen.benchmark.phases if phase.name == chosen.benchmark.phase), None)
    choices = [(name, title) for name, title in board_choices(board) if not name.endswith("/late")]
    return show_page(
        request,
        "submit.html",
        status=status,
        choices=choices,
        value=value_of(Chosen(chosen.benchmark, late=False)),
        benchmark=chosen.benchmark,
        phase=phase,
        phase_state=phase.describe(board.clock()) if phase else "",
        daily=max(board.settings.daily_per_user, (phase and phase.per_day) or 0),
        require_login=board.settings.require_login,
        upload_bytes=board.settings.upload_bytes,
        **{"form": {}, "problems": [], **more},
    )


@router.get("/submit")
def show_submit(request: Request, board: Board, benchmark: str = "") -> HTMLResponse:
    """Return the form for the chosen benchmark and phase."""
    return _show_submit(request, board, benchmark)


@router.post("/submit")
def submit(
    request: Request,
    board: Board,
    visitor: Asking,
    benchmark: Annotated[str, Form()],
    system: Annotated[str, Form()] = "",
    link: Annotated[str, Form()] = "",
    contact: Annotated[str, Form()] = "",
    secret: Annotated[str, Form()] = "",
    team: Annotated[str, Form()] = "",
    team_key: Annotated[str, Form()] = "",
    files: Annotated[list[UploadFile], File()] = [],  # noqa: B006
) -> HTMLResponse:
    """Accept a submission and return its receipt, or the form with the problems."""
    name, _, phase = benchmark.partition("/")
    try:
        accepted = board.submit(
            visitor,
            name,
            system,
            link,
            contact,
            _read_files(files, list(board.benchmark(name).parts)),
            secret,
            phase=phase,
            team=team,
            team_key=team_key,
        )
    except ValueError as error:
        form = {"system": system, "link": link, "contact": contact, "team": team}
        known = benchmark if name in board.benchmarks else ""
        return _show_submit(
            request, board, known, status=status_of(error), problems=problems_of(error), form=form
        )
    durability = board.durability(accepted.id)
    return show_page(
        request, "receipt.html", submission=accepted, secret=accepted.secret, durability=durability
    )


def _read_files(files: list[UploadFile], parts: list[str]) -> bytes:
    """Return one upload of the files of a form, which has a field for each part."""
    if parts and len(files) == len(parts):
        missing = [part for part, file in zip(parts, files, strict=True) if not file.filename]
        if missing:
            raise FieldError(f"choose a file for {', '.join(missing)}")
        return join_files({part: file.file.read() for part, file in zip(parts, files, strict=True)})
    if not files or not files[0].filename:
        raise FieldError("choose a file of predictions")
    return files[0].file.read()


def _show_owner(request: Request, *, status: int = 200, **messages: Any) -> HTMLResponse:
    return show_page(
        request, "owner.html", status=status, **{"withdrawn": None, "team": None, "secret": None, **messages}
    )


@router.get("/owner")
def show_owner(request: Request) -> HTMLResponse:
    """Return the forms to withdraw a submission, to make a team, and to get a secret for programs."""
    return _show_owner(request)


@router.post("/owner/withdraw")
def withdraw(
    request: Request,
    board: Board,
    visitor: Asking,
    id_: Annotated[str, Form(alias="id")] = "",
    key: Annotated[str, Form()] = "",
    undo: Annotated[bool, Form()] = False,
) -> HTMLResponse:
    """Withdraw a submission for its owner or team, or put it back."""
    try:
        found = board.withdraw_own(visitor, id_.strip(), key, undo=undo)
    except ValueError as error:
        return _show_owner(request, status=status_of(error), withdrawn={"problem": explain(error)})
    done = "withdrawn" if found.removed else "back on the board"
    return _show_owner(request, withdrawn={"text": f"{done}: {found.system}"})


@router.post("/owner/team")
def make_team(
    request: Request, board: Board, visitor: Asking, name: Annotated[str, Form()] = ""
) -> HTMLResponse:
    """Make a team and show its key this once."""
    try:
        made, key = board.make_team(name, visitor)
    except ValueError as error:
        return _show_owner(request, status=status_of(error), team={"problem": explain(error)})
    return _show_owner(
        request, team={"text": f"The team {made} was made. Its key, shown only this once:", "key": key}
    )


@router.post("/owner/secret")
def make_secret(request: Request, board: Board, visitor: Asking) -> HTMLResponse:
    """Make a secret for the programs of a signed-in user and show it this once."""
    try:
        secret = board.make_secret(visitor)
    except ValueError as error:
        return _show_owner(request, status=status_of(error), secret={"problem": explain(error)})
    return _show_owner(
        request, secret={"text": "Your secret for programs, shown only this once:", "key": secret}
    )


# ---- scoring two files -----------------------------------------------------------------------------


async def _form_options(request: Request) -> dict[str, Any]:
    """Return the options of the metric in a form."""
    form = await request.form()
    values: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        value = form.get(f"option-{name}")
        if option.kind == "flag":
            values[name] = value is not None
        elif isinstance(value, str):
            values[name] = value
    return values


def _as_numbers(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a form with numbers in place of the texts of number fields."""
    found = dict(values)
    for name in values:
        if OPTIONS[name].kind == "number":
            try:
                found[name] = float(values[name])
            except ValueError:
                raise FieldError(f"{name}: {values[name]!r} is not a number") from None
    return found


def _show_score(request: Request, *, status: int = 200, **more: Any) -> HTMLResponse:
    values = {"result": None, "problem": "", "values": DEFAULTS, **more}
    return show_page(request, "score.html", status=status, options=OPTIONS, **values)


@router.get("/score")
def show_score(request: Request) -> HTMLResponse:
    """Return the form to score two files."""
    return _show_score(request)


@router.post("/score")
def score(
    request: Request,
    board: Board,
    options: Annotated[dict[str, Any], Depends(_form_options)],
    prediction: Annotated[UploadFile, File()],
    reference: Annotated[UploadFile, File()],
    form: Annotated[str, Form()] = "page",
) -> Response:
    """Return the scores of two files as a page, a table of sentences or JSON."""
    try:
        for title, file in (("predictions", prediction), ("references", reference)):
            if not file.filename:
                raise FieldError(f"choose a file of {title}")
        metric = read_form(_as_numbers(options))
        found = score_uploaded_files(prediction.file.read(), reference.file.read(), metric, board.settings)
    except ValueError as error:
        return _show_score(
            request, status=status_of(error), problem=explain(error), values={**DEFAULTS, **options}
        )
    if form == "csv":
        rows = list(found.per_sentence())
        text = as_csv(list(rows[0]), [list(row.values()) for row in rows])
        return _download(text, "text/csv", "sentences.csv")
    if form == "json":
        return _download(
            json.dumps(found.as_dict(per_sentence=True), indent=2), "application/json", "scores.json"
        )
    titles = {key: measure.title for key, measure in found.metric.MEASURES.items()}
    titles[found.metric.headline] = f"{found.metric.title}, {titles[found.metric.headline]}"
    return _show_score(
        request,
        result=found,
        figures=[(title, show_value(found.figures[key])) for key, title in titles.items()],
        counts=text_rows(found),
        problems=[(row + 1, message.splitlines()[0]) for row, message in found.problems[:_MAX_PROBLEMS]],
        values={**DEFAULTS, **options},
    )


def _download(text: str, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode("utf-8", "surrogatepass"), media_type=media_type, headers=headers)

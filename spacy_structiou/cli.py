"""`python -m spacy structiou`: evaluate a pipeline, and convert treebanks to `.spacy` files."""

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Optional

import srsly
import typer
from spacy import blank
from spacy.cli._util import app, import_code, setup_gpu
from spacy.tokens import DocBin
from spacy.util import load_model
from thinc.api import fix_random_seed
from wasabi import msg

from structiou_metric.metrics import METRICS, metric_class
from structiou_metric.metrics.base import Measure
from structiou_metric.metrics.metric import Metric
from structiou_metric.metrics.struct_iou.losses import CAUSES
from structiou_metric.metrics.struct_iou.result import TEXT_COLUMNS
from structiou_metric.sources.content import strip_ending
from structiou_metric.sources.rows import sign_reading
from structiou_metric.terminal import NO_LABEL, isolated, printable
from structiou_metric.trees.discontinuous import CHOICES
from structiou_metric.wording import count

from .options import scorer_name
from .scorer import make_scorer, score_names
from .store import KEY
from .treebank import DOCBIN

Arg = typer.Argument
Opt = typer.Option

_COUNTS = {
    "docs": "docs",
    "unannotated": "docs without gold trees",
    "pairs": "pairs of trees",
    "trees_pred": "trees, predicted",
    "trees_ref": "trees, gold",
    "empty": "failed parses, score 0",
    "zeroed": "not comparable, score 0",
    "skipped": "not comparable, skipped",
    "lengthless": "nodes without length",
    **{name.removeprefix("n_"): f"of the texts, {title}" for name, title in TEXT_COLUMNS.items()},
}
_ALWAYS_SHOWN = ("docs", "pairs")

structiou_cli = typer.Typer(
    name="structiou",
    help="STRUCT-IoU, the similarity of constituency trees: evaluate pipelines, convert treebanks.",
    no_args_is_help=True,
)
app.add_typer(structiou_cli)

# What both commands have.
Key = Opt("--key", "-k", help="Where in Doc.spans the trees live")
Pattern = Annotated[str, Opt("--pattern", help="Which files of a folder, such as '*.mrg'")]
Format = Annotated[str, Opt("--format", metavar="NAME", help="Of treebanks; by default look at each file")]
Encoding = Annotated[
    str, Opt("--encoding", metavar="NAME", help="Of treebanks and JSON lines, such as latin-1")
]
Discontinuous = Annotated[
    str, Opt("--discontinuous", metavar="|".join(CHOICES), help="What trees with crossing branches become")
]
Offset = Annotated[int, Opt("--offset", min=0, help="Docs to skip first")]
Fields = Annotated[
    Optional[list[str]],
    Opt("--field", metavar="NAME=FIELD", help="Other name of a field in JSON lines, such as tree=reference"),
]
JoinWords = Annotated[
    bool,
    Opt(
        "--join-words",
        help="Where the text is not known, take the words joined by spaces, for the pipeline to tokenize",
    ),
]


# ---- evaluate ----------------------------------------------------------------------------------


@structiou_cli.command("evaluate")
def evaluate_cli(
    model: Annotated[str, Arg(help="Model name or path")],
    data_path: Annotated[
        Path, Arg(help="Gold trees: .spacy, .jsonl or treebank file, or folder of such", exists=True)
    ],
    output: Annotated[
        Optional[Path], Opt("--output", "-o", help="Output JSON file for metrics", dir_okay=False)
    ] = None,
    metric: Annotated[
        Optional[str], Opt("--metric", "-m", metavar="|".join(METRICS), help="What is computed")
    ] = None,
    metric_option: Annotated[
        Optional[list[str]],
        Opt(
            "--metric-option",
            "-M",
            metavar="NAME=VALUE",
            help="Option of the metric, its value as in a config, such as unit=char; can be repeated",
        ),
    ] = None,
    per: Annotated[
        Optional[str],
        Opt("--per", metavar="sentence|doc", help="Compare tree with tree, or all trees of a Doc at once"),
    ] = None,
    why: Annotated[bool, Opt("--why", help="Tell what is lost by which cause, too")] = False,
    key: Annotated[Optional[str], Key] = None,
    gold_preproc: Annotated[
        bool, Opt("--gold-preproc", "-G", help="Use gold preprocessing: gold tokens, one tree a Doc")
    ] = False,
    join_words: JoinWords = False,
    pattern: Pattern = "",
    format: Format = "auto",
    encoding: Encoding = "",
    discontinuous: Discontinuous = CHOICES[0],
    field: Fields = None,
    limit: Annotated[int, Opt("--limit", "-l", min=0, help="Docs to read (0 for all)")] = 0,
    offset: Offset = 0,
    code_path: Annotated[
        Optional[Path],
        Opt(
            "--code",
            "-c",
            help="Path to Python file with additional code (registered functions) to be imported",
        ),
    ] = None,
    use_gpu: Annotated[int, Opt("--gpu-id", "-g", help="GPU ID or -1 for CPU")] = -1,
) -> None:
    """Evaluate the constituency trees of a trained pipeline.

    Prints the figures of a metric, and a table with a row for each label if it counts by label. The metric
    and its options are those of the pipeline's own struct_iou component or scorer, where they are not given.
    Unlike 'spacy benchmark accuracy', gold data can be any treebank that the corpus reader reads.
    """
    from .corpus import TreebankCorpus

    options = {
        name: _value(text) for name, text in _assigned(metric_option, "NAME=VALUE", "unit=char").items()
    }
    arguments = {"per": per, "predicted_key": key, "reference_key": key}
    given = {name: value for name, value in arguments.items() if value is not None}
    fields = _assigned(field, "NAME=FIELD", "tree=reference")
    import_code(code_path)
    setup_gpu(use_gpu)
    fix_random_seed()
    with _errors_as_messages():
        if output is not None:  # so that a path that cannot be written does not cost the work
            _check_writable(output)
        nlp = load_model(model)
        chosen, own = pipeline_options(nlp.config, metric)
        scorer = make_scorer(chosen, **{**own, **given, **options})
        scorer = scorer.explaining() if why else scorer
        reader = TreebankCorpus(
            data_path,
            gold_preproc,
            limit=limit,
            offset=offset,
            key=scorer.reference_key,
            pattern=pattern,
            format=format,
            encoding=encoding,
            discontinuous=discontinuous,
            fields=fields,
            join_words=join_words,
        )
        examples = list(reader(nlp))
    start = perf_counter()
    docs = nlp.pipe(example.predicted for example in examples)
    for example, doc in zip(examples, docs, strict=True):
        example.predicted = doc
    seconds = perf_counter() - start
    with _errors_as_messages():
        scores = scorer(examples)
    scores["speed"] = sum(len(example.predicted) for example in examples) / seconds
    scores[f"{scorer.metric.name}_signature"] = scorer.metric.signature + sign_reading(reader)
    print_scores(scores, scorer.metric)
    if output is not None:
        srsly.write_json(output, scores)
        msg.good(f"Saved results to {output}")


def _check_writable(path: Path) -> None:
    """Make the folder of a file that will be written, and refuse a path that cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}; give another path") from None


def _value(text: str) -> Any:
    """Return what a text means in a config: a number, `true`, a list and so on, or else itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def pipeline_options(config: Mapping[str, Any], metric: str | None = None) -> tuple[str, dict[str, Any]]:
    """Return the metric of a pipeline's last scorer of trees, whose scores are those kept, and its options.

    Args:
        config: The config of the pipeline.
        metric: The metric that was asked for; only a scorer of that one counts.
    """
    scorers = {scorer_name(name): name for name in METRICS}
    found, options = metric or "struct_iou", {}
    for name in config["nlp"]["pipeline"]:
        block = config["components"][name]
        scorer = block.get("scorer")
        own = block.get("factory")
        if isinstance(scorer, Mapping) and scorer.get("@scorers") in scorers:
            block, own = scorer, scorers[scorer["@scorers"]]
        if own in METRICS and metric in (None, own):
            names = {"per", "predicted_key", "reference_key", *metric_class(own).OPTIONS}
            found, options = own, {option: block[option] for option in names if option in block}
    return found, options


def print_scores(scores: Mapping[str, Any], metric: Metric) -> None:
    """Prints the figures and a table of labels, in spaCy's way."""
    figures = {metric.title: _shown(scores[metric.name], metric.MEASURES[metric.headline])}
    for key, name in score_names(metric).items():
        if name != metric.name:
            figures[metric.MEASURES[key].title] = _shown(scores[name], metric.MEASURES[key])
    counts = scores[f"{metric.name}_counts"]
    for name, title in _COUNTS.items():
        if counts.get(name) or name in _ALWAYS_SHOWN:
            figures[title] = str(counts[name])
    figures["speed"] = f"{scores['speed']:.0f}"
    msg.table(figures, title="Results", aligns=("l", "r"))
    per_type = scores.get(f"{metric.name}_per_type")
    if per_type:
        msg.table(
            [
                (
                    isolated(printable(label)) or NO_LABEL,
                    *(_percent(row[name]) for name in ("p", "r", "f")),
                    row["n_pred"],
                    row["n_ref"],
                )
                for label, row in per_type.items()
            ],
            header=("", "P", "R", "F", "PREDICTED", "GOLD"),
            aligns=("l", "r", "r", "r", "r", "r"),
            title=f"{metric.title} (per label)",
        )
    losses = scores.get(f"{metric.name}_losses")
    if losses:
        by_cause = sorted(losses["by_cause"].items(), key=lambda item: -item[1])
        msg.table(
            [
                (cause, f"{lost:.2f}", _percent(lost / losses["total"]), CAUSES[cause])
                for cause, lost in by_cause
                if lost
            ],
            header=("", "NODES LOST", "%", ""),
            aligns=("l", "r", "r", "l"),
            title=f"{metric.title} (lost, by cause)",
        )
    msg.text(scores[f"{metric.name}_signature"])


def _shown(value: float | None, measure: Measure) -> str:
    """A figure; a share is told in percent."""
    if value is None:
        return "-"
    return _percent(value) if measure.highest == 1.0 else f"{value:.2f}"


def _percent(value: float) -> str:
    return f"{value * 100:.2f}"


# ---- convert -----------------------------------------------------------------------------------


@structiou_cli.command("convert")
def convert_cli(
    treebank: Annotated[Path, Arg(help="Treebank or .jsonl file, or folder of such", exists=True)],
    output: Annotated[Path, Arg(help="Output .spacy file, or folder for it")],
    n_sents: Annotated[
        int, Opt("--n-sents", "-n", min=0, help="Number of trees per doc (0 for all of a file)")
    ] = 1,
    key: Annotated[str, Key] = KEY,
    traces: Annotated[
        str,
        Opt(
            metavar="drop|keep|token",
            help="-NONE- leaves are left out, kept in the tree without token, or tokens",
        ),
    ] = "drop",
    unescape: Annotated[
        bool,
        Opt("--unescape/--no-unescape", help="Write -LRB- and its kin as brackets, and quotes as in texts"),
    ] = True,
    join_words: JoinWords = False,
    layout: Annotated[
        str, Opt(metavar="auto|line|free", help="A tree a line, or over many lines, or look at the file")
    ] = "auto",
    pattern: Pattern = "",
    format: Format = "auto",
    encoding: Encoding = "",
    discontinuous: Discontinuous = CHOICES[0],
    field: Fields = None,
    limit: Annotated[int, Opt("--limit", "-l", min=0, help="Docs to write (0 for all)")] = 0,
    offset: Offset = 0,
    force: Annotated[bool, Opt("--force", "-F", help="Overwrite an output file that exists")] = False,
) -> None:
    """Convert a treebank to a .spacy file.

    The Docs have the words of the trees for tokens, and the trees in Doc.spans. The file can be used
    with 'spacy train', 'spacy benchmark accuracy' and 'spacy structiou evaluate'.
    """
    from .convert import get_trees
    from .corpus import TreebankCorpus

    if output.is_dir():
        name = strip_ending(treebank.name)
        output = output / (name if treebank.is_dir() else Path(name).stem)
    if output.suffix != DOCBIN:
        output = output.with_name(output.name + DOCBIN)
    if output.exists() and not force:
        msg.fail(f"The output file already exists: {output}", "Overwrite it with --force.", exits=1)
    with _errors_as_messages():
        reader = TreebankCorpus(
            treebank,
            limit=limit,
            offset=offset,
            key=key,
            pattern=pattern,
            format=format,
            encoding=encoding,
            discontinuous=discontinuous,
            layout=layout,
            fields=_assigned(field, "NAME=FIELD", "tree=reference"),
            join_words=join_words,
            traces=traces,
            unescape=unescape,
        )
        docs = list(reader.docs(blank("xx").vocab, n_sents))
        if not docs:
            raise ValueError(f"{treebank}: there is nothing to convert; check the file, limit and offset")
        for doc in docs if join_words else ():
            doc.has_unknown_spaces = False  # so that spaCy tokenizes the text again
        output.parent.mkdir(parents=True, exist_ok=True)
        DocBin(docs=docs, store_user_data=True).to_disk(output)
        n_trees = sum(len(get_trees(doc, key=key)) for doc in docs)
    counts = f"{count(len(docs), 'doc')}, {count(n_trees, 'tree')}, {count(sum(map(len, docs)), 'token')}"
    msg.good(f"Generated output file ({counts}): {output}")


# ---- both --------------------------------------------------------------------------------------


def _assigned(given: list[str] | None, form: str, example: str) -> dict[str, str]:
    """The names and values of what was given as `NAME=VALUE`."""
    assigned: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"{text!r} is not {form}, such as {example}")
        assigned[name] = value
    return assigned


@contextmanager
def _errors_as_messages() -> Iterator[None]:
    """Turns errors about data and options, and warnings, into spaCy's messages."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default", UserWarning)
            yield
    except (OSError, ValueError) as error:
        first, _, rest = str(error).partition("\n")
        msg.fail(first, rest or None, exits=1)
    finally:
        for warning in caught:
            msg.warn(str(warning.message))

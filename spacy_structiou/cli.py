"""The command `python -m spacy structiou`: evaluate a pipeline, convert treebanks to `.spacy` files."""

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
from .treebank import DOCBIN, TRACES

Arg = typer.Argument
Opt = typer.Option

_COUNTS = {
    "docs": "docs",
    "unannotated": "docs without reference trees",
    "pairs": "pairs of trees",
    "trees_pred": "trees, predicted",
    "trees_ref": "trees, reference",
    "empty": "failed parses",
    "zeroed": "pairs scored as zero",
    "skipped": "pairs skipped",
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

# Options of both commands.
Key = Opt("--key", "-k", help="Name of the span group with the trees")
Pattern = Annotated[str, Opt("--pattern", help="Pattern for the files of a folder, such as '*.mrg'")]
Format = Annotated[
    str, Opt("--format", metavar="NAME", help="Format of treebanks; by default each file is looked at")
]
Encoding = Annotated[
    str, Opt("--encoding", metavar="NAME", help="Encoding of treebanks and JSON lines, such as latin-1")
]
Discontinuous = Annotated[
    str, Opt("--discontinuous", metavar="|".join(CHOICES), help="How to read trees with crossing branches")
]
Offset = Annotated[int, Opt("--offset", min=0, help="Number of Docs to skip first")]
Fields = Annotated[
    Optional[list[str]],
    Opt(
        "--field",
        metavar="NAME=FIELD",
        help="Different name of a field in JSON lines, such as tree=reference",
    ),
]
JoinWords = Annotated[
    bool,
    Opt(
        "--join-words",
        help="If the text is unknown, join the words by spaces and let the pipeline tokenize them",
    ),
]


# ---- evaluate ----------------------------------------------------------------------------------


@structiou_cli.command("evaluate")
def evaluate_cli(
    model: Annotated[str, Arg(help="Model name or path")],
    data_path: Annotated[
        Path,
        Arg(help="Reference trees: a .spacy, .jsonl or treebank file, or a folder of these", exists=True),
    ],
    output: Annotated[
        Optional[Path], Opt("--output", "-o", help="Output JSON file for metrics", dir_okay=False)
    ] = None,
    metric: Annotated[
        Optional[str],
        Opt(
            "--metric",
            "-m",
            metavar="|".join(METRICS),
            help="Name of the metric; by default the metric of the pipeline",
        ),
    ] = None,
    metric_option: Annotated[
        Optional[list[str]],
        Opt(
            "--metric-option",
            "-M",
            metavar="NAME=VALUE",
            help="Option of the metric with its value as in a config, such as unit=char; can be repeated",
        ),
    ] = None,
    per: Annotated[
        Optional[str],
        Opt("--per", metavar="sentence|doc", help="Compare tree with tree, or all trees of a Doc at once"),
    ] = None,
    why: Annotated[bool, Opt("--why", help="Print the loss by cause, too")] = False,
    key: Annotated[Optional[str], Key] = None,
    gold_preproc: Annotated[
        bool, Opt("--gold-preproc", "-G", help="Start from the tokens of the reference, one tree in each Doc")
    ] = False,
    join_words: JoinWords = False,
    pattern: Pattern = "",
    format: Format = "auto",
    encoding: Encoding = "",
    discontinuous: Discontinuous = CHOICES[0],
    field: Fields = None,
    limit: Annotated[int, Opt("--limit", "-l", min=0, help="Number of Docs to read (0 for all)")] = 0,
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

    Prints the figures of a metric, and a table with a row for each label if the metric counts by label. By
    default, the metric and its options are those of the last component or scorer of trees in the pipeline.
    Unlike with 'spacy benchmark accuracy', the reference can be any treebank that the corpus reader reads.
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
        if output is not None:  # before the work, which would be lost
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
    """Make the folder of an output file, and raise an error if the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}; give another path") from None


def _value(text: str) -> Any:
    """Return the value of a text in a config, such as a number or a list; any other text is itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def pipeline_options(config: Mapping[str, Any], metric: str | None = None) -> tuple[str, dict[str, Any]]:
    """Return the metric and options of a pipeline's last scorer of trees, whose scores spaCy keeps.

    Args:
        config: The config of the pipeline.
        metric: A metric, if only its scorers count.
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
    """Print the figures and a table of labels, in spaCy's way."""
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
            header=("", "P", "R", "F", "PREDICTED", "REFERENCE"),
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
    """Return a figure as text, in percent if it is a share."""
    if value is None:
        return "-"
    return _percent(value) if measure.highest == 1.0 else f"{value:.2f}"


def _percent(value: float) -> str:
    return f"{value * 100:.2f}"


# ---- convert -----------------------------------------------------------------------------------


@structiou_cli.command("convert")
def convert_cli(
    treebank: Annotated[Path, Arg(help="Treebank or .jsonl file, or a folder of these", exists=True)],
    output: Annotated[Path, Arg(help="Output .spacy file, or a folder for it")],
    n_sents: Annotated[
        int, Opt("--n-sents", "-n", min=0, help="Number of trees in each Doc (0 for all of a file)")
    ] = 1,
    key: Annotated[str, Key] = KEY,
    traces: Annotated[
        str,
        Opt(
            metavar="|".join(TRACES),
            help="Remove -NONE- leaves, or make them tokens",
        ),
    ] = "drop",
    unescape: Annotated[
        bool,
        Opt("--unescape/--no-unescape", help="Write -LRB- and the like as brackets, and quotes as in a text"),
    ] = True,
    join_words: JoinWords = False,
    layout: Annotated[
        str,
        Opt(
            metavar="auto|line|free",
            help="A tree on each line, or trees over many lines; by default each file is looked at",
        ),
    ] = "auto",
    pattern: Pattern = "",
    format: Format = "auto",
    encoding: Encoding = "",
    discontinuous: Discontinuous = CHOICES[0],
    field: Fields = None,
    limit: Annotated[int, Opt("--limit", "-l", min=0, help="Number of Docs to write (0 for all)")] = 0,
    offset: Offset = 0,
    force: Annotated[bool, Opt("--force", "-F", help="Overwrite an output file that exists")] = False,
) -> None:
    """Convert a treebank to a .spacy file.

    The tokens of the Docs are the words of the trees, and the trees are in Doc.spans. The file can be used
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
    """Return the names and values of arguments of the form `NAME=VALUE`."""
    assigned: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"{text!r} is not {form}, such as {example}")
        assigned[name] = value
    return assigned


@contextmanager
def _errors_as_messages() -> Iterator[None]:
    """Show errors of data and options, and warnings, as spaCy's messages."""
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

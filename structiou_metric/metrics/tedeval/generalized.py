"""TedEval of two experiments whose references differ, such as two annotations of the same sentences.

Both parses of a sentence are compared to a generalisation of the two references: a bracket over each span
that has brackets in both, with the labels that both have there, or one with the label `_` if they have none
in common; and the words of the first reference. What must be edited to get from a reference to the
generalisation is no fault of its parse: of the edits from parse to generalisation, only those count that are
not among those from its reference. The score of a parse is
`1 - such edits / (nodes of the parse + nodes of the generalisation - 2)`, but not less than 0.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._core.flat import FlatNodes, FlatTrees
from ..._core.scan import Scanner
from ...errors import TreeMismatchError
from ...sources.rows import as_rows, check_as_many
from ...wording import count
from ..base import EMPTY, SKIPPED, VALID, ZEROED, Counts, Measure
from ..results import Result
from .metric import MEASURES, OPTIONS, TedEval
from .names import Naming

if TYPE_CHECKING:
    from ...sources.rows import Rows

    Nodes = Counter[tuple[int, int, int]]  # name, first and last position

_BATCH = 256
_COLUMNS = ("distance", "n_pred", "n_ref", "norm", "n_gen", "edits", "reference_edits", "same")


_OPTIONS = {name: option for name, option in OPTIONS.items() if not name.endswith("_segments")}

_MEASURES = {
    "tedeval_corpus": MEASURES["tedeval_corpus"],
    "tedeval_sentence": MEASURES["tedeval_sentence"],
    "tedeval_exact": Measure("exact match with the reference", float, ("same",), short="exact", mean=True),
    "tedeval_exact_gen": Measure(
        "as many edits as the reference needs",
        lambda edits, reference_edits: float(edits == reference_edits),
        ("edits", "reference_edits"),
        short="exact_gen",
        mean=True,
    ),
}


class GeneralizedTedEval(TedEval):
    """The metric of the results of `tedeval_pair`, with the options of `TedEval` but for segments."""

    title = "TedEval, generalised"
    SIGNATURE = "tedeval_pair"
    OPTIONS = _OPTIONS
    MEASURES = _MEASURES


def tedeval_pair(
    predictions_1: Iterable[Any] | Rows,
    references_1: Iterable[Any] | Rows,
    predictions_2: Iterable[Any] | Rows,
    references_2: Iterable[Any] | Rows,
    **options: Any,
) -> tuple[Result, Result]:
    """TedEval of two experiments over the same sentences, each against the generalised references.

    >>> first, second = tedeval_pair(
    ...     ["(S (NP (A we)) (B run))"], ["(S (NP (A we)) (B run))"],
    ...     ["(S (NP (A we)) (B run))"], ["(S (A we) (VP (B run)))"],
    ... )
    >>> first.figures["tedeval_corpus"], second.columns["distance"][0], second.columns["n_gen"][0]
    (1.0, 1, 5)

    Args:
        predictions_1: The parses of the first experiment, as `Metric.corpus_score` takes them.
        references_1: The references of the first experiment.
        predictions_2: The parses of the second experiment.
        references_2: The references of the second experiment.
        **options: The options `labeled`, `average`, `compat`, `drop` and `on_error` of `TedEval`.

    Returns:
        The results of both. Columns: `distance` (the edits that count), `n_pred`, `n_ref`, `n_gen` (nodes
        of parse, reference and generalisation), `norm`, `edits` and `reference_edits` (all edits from
        parse and from reference to the generalisation), `same` (whether parse and reference are equal).
    """
    metric = GeneralizedTedEval(**options)
    sides = [
        as_rows(rows, name)
        for rows, name in (
            (predictions_1, "predictions_1"),
            (references_1, "references_1"),
            (predictions_2, "predictions_2"),
            (references_2, "references_2"),
        )
    ]
    for side in sides:
        check_as_many(side, sides[1])
    results = Result(metric), Result(metric)
    for first, rows, problems in _read(metric, sides):
        if problems and metric.options.on_error == "raise":
            raise problems[min(problems)]
        failed = SKIPPED if metric.options.on_error == "skip" else ZEROED
        for e, result in enumerate(results):
            columns: dict[str, array[int]] = {name: array("i") for name in _COLUMNS}
            status = bytearray()
            for t, (nodes, gen) in enumerate(rows):
                parse, reference = nodes[2 * e], nodes[2 * e + 1]
                values = _compare(parse, reference, gen)
                state = EMPTY if reference and not parse else VALID
                if first + t in problems:
                    state = failed
                    values = dict.fromkeys(_COLUMNS, 0) if failed == SKIPPED else _zeroed(values)
                status.append(state)
                for name, column in columns.items():
                    column.append(values[name])
            result.add(first, Counts(columns, status, problems))
    for result in results:
        result.finish(None)
    return results


def _read(
    metric: TedEval, sides: Sequence[Rows]
) -> Iterator[tuple[int, list[tuple[list[Nodes], Nodes]], dict[int, ValueError]]]:
    """The batches: first row, the nodes of all four trees with their generalisation, and problems."""
    naming = Naming(metric.options)
    scanner = Scanner()
    scanner.intern("")  # so that there is a label at all, for no buffer may be empty
    trees = [FlatTrees() for _ in sides]
    nodes = [FlatNodes() for _ in sides]
    n_rows = len(sides[0])
    for lo in range(0, n_rows, _BATCH):
        hi = min(lo + _BATCH, n_rows)
        problems: dict[int, ValueError] = {}
        for rows, batch in zip(sides, trees, strict=True):
            problems = {**rows.load(lo, hi, "word", scanner, batch), **problems}
        words = naming.select(trees, scanner.labels, nodes)
        names = naming.word_names
        found = []
        for t in range(hi - lo):
            numbers = [ids[offsets[t] : offsets[t + 1]] for offsets, ids in words]
            lengths = sorted({len(n) for n in numbers if n})
            if len(lengths) > 1:
                told = ", ".join(
                    f"{rows.name(lo + t)} has {count(len(n), 'word')}"
                    for rows, n in zip(sides, numbers, strict=True)
                )
                problems.setdefault(
                    lo + t, TreeMismatchError(f"{told}; both experiments need the same sentences")
                )
            brackets = [_brackets(side, t) for side in nodes]
            forms = [_words(own, names) for own in numbers]
            gen = _generalize(brackets[1], brackets[3], naming.blank)
            whole = [b + w for b, w in zip(brackets, forms, strict=True)]
            gen += forms[1]
            if metric.options.compat:
                whole, gen = [_once(side) for side in whole], _once(gen)
            found.append((whole, gen))
        yield lo, found, problems


def _brackets(nodes: FlatNodes, t: int) -> Nodes:
    spans = nodes.spans(t)
    return Counter(
        (name, int(start), int(end)) for name, (_, start, end) in zip(nodes.classes(t), spans, strict=True)
    )


def _words(numbers: Iterable[int], names: Sequence[int]) -> Nodes:
    return Counter((names[number], i, i + 1) for i, number in enumerate(numbers) if names[number] >= 0)


def _once(nodes: Nodes) -> Nodes:
    return Counter(nodes.keys())


def _generalize(ours: Nodes, theirs: Nodes, blank: int) -> Nodes:
    """The brackets over spans that both have."""
    gen = ours & theirs
    labeled, *both = ({(left, right) for _, left, right in side} for side in (gen, ours, theirs))
    for left, right in (both[0] & both[1]) - labeled:
        gen[blank, left, right] = 1
    return gen


def _compare(parse: Nodes, reference: Nodes, gen: Nodes) -> dict[str, int]:
    """The columns of one experiment."""
    deleted, inserted = parse - gen, gen - parse
    deleted_ref, inserted_ref = reference - gen, gen - reference
    distance = (deleted - deleted_ref).total() + (inserted - inserted_ref).total()
    n_pred, n_gen = parse.total(), gen.total()
    return {
        "distance": distance if parse else n_gen,
        "n_pred": n_pred,
        "n_ref": reference.total(),
        "norm": max(0, n_pred - 1) + max(0, n_gen - 1),
        "n_gen": n_gen,
        "edits": deleted.total() + inserted.total(),
        "reference_edits": deleted_ref.total() + inserted_ref.total(),
        "same": parse == reference,
    }


def _zeroed(values: Mapping[str, int]) -> dict[str, int]:
    """The columns of a pair that cannot be compared: nothing is in common."""
    nodes = values["n_pred"] + values["n_gen"]
    return {**values, "distance": nodes, "edits": nodes, "same": 0}

"""The results of the experiments, as text for a terminal."""

from __future__ import annotations

from math import isnan
from textwrap import wrap
from typing import TYPE_CHECKING

from ..analysis.paper.ambiguity import PAPER, PAPER_N
from ..analysis.paper.correlation import title_of
from ..terminal import isolated, lay_out, printable
from ..wording import count

if TYPE_CHECKING:
    from ..analysis.paper.ambiguity import Ambiguity
    from ..analysis.paper.correlation import Correlation
    from ..analysis.paper.lengths import ByLength
    from ..analysis.paper.tokenization import Tokenization

_METRICS = {"parseval": "ParsEval", "struct_iou": "STRUCT-IoU"}
_WIDTH = 100  # columns of running text
_FEW_BUCKETS = 10  # below it, the p-value of `ranks.spearman` is a poor approximation


def correlation_report(found: Correlation) -> str:
    """Return the figures of both metrics and their rank correlation."""
    buckets = found.buckets
    titles = {metric.name: metric.title for metric in found.metrics}
    lines = [f"{count(len(buckets), 'bucket')} of {count(found.bucket_size, 'sentence')}, seed {found.seed}"]
    lines += _counted(
        *((f"sentences left out, not for {titles[name]}", n) for name, n in found.n_left_out.items()),
        ("sentences left out, buckets with nothing to count", found.n_bare),
        ("sentences left out, too few for one more bucket", found.n_rest),
    )
    table = [["", "all", "lowest bucket", "highest bucket"]]
    for metric in found.metrics:
        values = [bucket.figures[metric.name] for bucket in buckets]
        figures = (found.figures[metric.name], min(values), max(values))
        table.append([title_of(metric), *(f"{value:.4f}" for value in figures)])
    lines += ["", lay_out(table, "<>").rstrip("\n")]
    if isnan(found.ranks.rho):
        verdict = "not defined, because all buckets score alike"
    else:
        verdict = f"{found.ranks.rho:.4f}  p = {found.ranks.p_value:.3g}"
        if len(buckets) < _FEW_BUCKETS:
            verdict += " (not to be trusted, with so few buckets)"
    lines.append(f"Spearman's rho  {verdict}")
    if len(found.rhos) > 1:
        mean, deviation = found.spread
        lines.append(
            f"over {len(found.rhos)} shuffles  {mean:.4f} ± {deviation:.4f} (mean and standard deviation)"
        )
    return "\n".join([*lines, *found.signatures.values(), ""])


def lengths_report(found: ByLength) -> str:
    """Return a line for each maximum length."""
    table = [["at most", "sentences", "sentence mean", "corpus level", "difference"]]
    for point in found.points:
        row = [str(point.max_words), str(point.n_sentences)]
        sentence, corpus = point.struct_iou_sentence, point.struct_iou_corpus
        if sentence is not None and corpus is not None:
            row += [f"{sentence:.4f}", f"{corpus:.4f}", f"{sentence - corpus:+.4f}"]
        table.append(row)
    lines = [lay_out(table, ">")]
    total = found.score.n_counted
    share = found.n_one_word / total
    lines.append(f"one word: {found.n_one_word} of {count(total, 'sentence')} ({share:.1%})")
    lines += _counted(
        ("failed parses, score 0", found.score.n_empty),
        ("not comparable, score 0", found.score.n_zeroed),
        ("not comparable, skipped", found.score.n_skipped),
        ("in no line above, because the reference cannot be read", found.n_unmeasured),
    )
    return "\n".join([*lines, found.score.signature, ""])


def ambiguity_report(found: Ambiguity) -> str:
    """Return the paper's table, over all references, and its differences from the printed one."""
    which = "each" if found.n_references == found.n_plausible else f"{found.n_references:,} of them"
    lines = [
        f"N (P N){{{found.n}}}: {found.n_plausible:,} plausible trees, {which} in turn the reference; "
        f"seed {found.seed}",
        "",
        f"{'':<32}  {'ParsEval F1':<23}  STRUCT-IoU",
    ]
    names = {
        "plausible_lowest": "plausible trees, lowest",
        "plausible_average": f"plausible trees, average of {found.n_drawn}",
        "random_average": f"random trees, average of {found.n_random}",
    }
    for key, name in names.items():
        spreads = ([100 * share for share in found.figures[metric][key]] for metric in _METRICS)
        columns = [f"{f'{mean:.2f} ({low:.2f} to {high:.2f})':<23}" for mean, low, high in spreads]
        lines.append("  ".join([f"{name:<32}", *columns]).rstrip())
    lines += ["(mean over the references, and the range from one reference to another)", ""]
    return "\n".join([*lines, *_ambiguity_notes(found), found.signature, ""])


def _ambiguity_notes(found: Ambiguity) -> list[str]:
    """Return remarks on the figures, and at the paper's n on its printed ones."""
    lowest = {metric: found.figures[metric]["plausible_lowest"] for metric in _METRICS}
    notes = []
    if found.n == PAPER_N:
        n_nodes = 4 * PAPER_N + 1
        matched = n_nodes * lowest["struct_iou"].low
        notes.append(
            f"The paper prints {_printed('plausible_lowest')} as the lowest for a plausible tree. Over all "
            f"{found.n_plausible:,} it is {100 * lowest['parseval'].low:.1f} and "
            f"{matched:.4g}/{n_nodes} = {100 * lowest['struct_iou'].low:.2f}."
        )
        printed = [PAPER[metric]["random_average"] for metric in _METRICS]
        nearest = min(
            found.random_averages,
            key=lambda pair: max(abs(a - b) for a, b in zip(pair, printed, strict=True)),
        )
        notes.append(
            f"It prints {_printed('random_average')} for random trees and one reference, which it does not "
            "show. The reference here that comes nearest to both has "
            f"{100 * nearest[0]:.1f} and {100 * nearest[1]:.1f}."
        )
    below = [
        name
        for metric, name in _METRICS.items()
        if lowest[metric].mean < found.figures[metric]["random_average"].mean
    ]
    if below:
        notes.append(
            f"The lowest plausible tree scores below the average random one by {' and by '.join(below)}."
        )
    return [line for note in notes for line in wrap(note, _WIDTH)]


def _printed(key: str) -> str:
    """Return the figures that the paper prints, such as `12.5 and 63.6`."""
    return " and ".join(f"{100 * PAPER[metric][key]:.1f}" for metric in _METRICS)


def tokenization_report(found: Tokenization) -> str:
    """Return a line for each pair of analyses."""
    lines = [
        f"{isolated(printable(source.name))}: {count(source.n_split, 'word')} split in {source.n_touched} of "
        f"{count(found.n_sentences, 'sentence')}"
        for source in found.sources
    ]
    table = [
        ["prediction", "against", "STRUCT-IoU, sentence mean", "corpus level", "ParsEval F1", "of sentences"]
    ]
    for line in found.comparisons:
        f1 = "–" if line.parseval_f1 is None else f"{line.parseval_f1:.4f}"
        figures = [f"{line.struct_iou_sentence:.4f}", f"{line.struct_iou_corpus:.4f}", f1]
        comparable = str(found.n_sentences - line.n_incomparable)
        table.append([printable(line.prediction), printable(line.reference), *figures, comparable])
    return "\n".join([*lines, "", lay_out(table, "<<>"), found.signature, ""])


def _counted(*counts: tuple[str, int]) -> list[str]:
    """Return a line for each count that is not 0."""
    return [f"{what}: {number}" for what, number in counts if number]

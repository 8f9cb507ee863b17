"""Forced alignment of speech: `python tests/bench/bench_speech.py [--folder DIR] [--quick] [--json FILE]`.

`--aligner NAME`, perhaps several times, measures the boundaries of other aligners on the same clips.

How far word boundaries are off where true ones are known, and how often right and wrong words are refused,
by condition. Real clips are read from a folder (`--folder` or the variable STRUCTIOU_SPEECH) with the folders
`praatio`, `mfa` and `pocketsphinx`, the sample recordings of those projects; without it, synthetic ones are
taken alone, each under one of the conditions. Wrong words are those of another clip of about the same length,
and the same words shuffled. At last, trees of whole recordings are replaced, reordered and dropped. Exit code
1 if a limit is not kept.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import accumulate, product
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import NamedTuple

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.report import Report
from bench.speech_clips import (
    CALIBRATION_VOICES,
    CONDITIONS,
    HELD_OUT_VOICES,
    SENTENCES,
    Clip,
    Voice,
    pieces,
    real_clips,
    synthetic_clips,
)
from structiou_metric.speech.forced.aligner import (
    AlignedWords,
    Aligner,
    AlignmentError,
    check_alignment,
    load_aligner,
)
from structiou_metric.speech.forced.audio import RATE
from structiou_metric.speech.forced.sphinx import LONG, SphinxAligner

# By group: the greatest median error of boundaries in milliseconds, and the least mean IoU of words.
_BOUNDARIES = {"praatio": (17.0, 0.78), "mfa": (20.0, 0.0), "synthetic": (20.0, 0.78)}
_LEAST_REFUSED = 85.0  # percent of wrong words
_JUDGED = ("clean", "telephone")  # conditions under which no right words may be refused
_PROCESSES = 2
_SUSPECT = SphinxAligner.suspect_confidence
_PART_PAUSE = 0.3  # seconds of silence behind each clip of a recording
_LONG_CLIPS = ("acoustic_corpus", "cold_corpus", "sense_and_sensibility")  # how names of several pieces begin


class Trial(NamedTuple):
    """Words that are looked for in a clip."""

    group: str
    condition: str
    kind: str  # `right`, `other` or `shuffled`
    clip: Clip
    words: list[str]


class Outcome(NamedTuple):
    """What came of a trial."""

    trial: Trial
    refused: bool
    confidence: float | None


def make_trials(clips: Sequence[Clip]) -> list[Trial]:
    """Right and wrong words for each clip, under each condition if it is real, else under one in turn."""
    rng = Random(5)
    trials = []
    for number, clip in enumerate(clips):
        length = sum(map(len, clip.words))
        others = [other.words for other in clips if set(other.words) != set(clip.words)]
        rng.shuffle(others)
        other = min(others, key=lambda words: abs(sum(map(len, words)) - length))
        shuffled = clip.words
        while shuffled == clip.words:
            shuffled = rng.sample(clip.words, len(clip.words))
        conditions = list(CONDITIONS)
        for condition in [conditions[number % 3]] if clip.group == "synthetic" else conditions:
            for kind, words in (("right", clip.words), ("other", other), ("shuffled", shuffled)):
                trials.append(Trial(clip.group, condition, kind, clip, words))
    return trials


_aligner: list[SphinxAligner] = []  # of this process


def attempt(trial: Trial) -> Outcome:
    """Looks for the words."""
    if not _aligner:
        _aligner.append(SphinxAligner())
    samples = CONDITIONS[trial.condition](trial.clip.samples)
    slim = trial._replace(clip=trial.clip._replace(samples=None))  # what goes back to the parent is small
    try:
        confidence = _aligner[0].align(samples, RATE, trial.words).confidence
    except AlignmentError:
        confidence = None
    return Outcome(slim, confidence is None or confidence < SphinxAligner.min_confidence, confidence)


def measure_refusals(report: Report, title: str, clips: Sequence[Clip]) -> None:
    """How often right and wrong words are refused."""
    report.section(f"{title}: {len(clips)} clips")
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        outcomes = list(pool.map(attempt, make_trials(clips), chunksize=4))
    for condition in CONDITIONS:
        for kind in ("right", "other", "shuffled"):
            own = [one for one in outcomes if (one.trial.condition, one.trial.kind) == (condition, kind)]
            sure = [one.confidence for one in own if one.confidence is not None]
            spread = f"confidence {min(sure):.3f} to {max(sure):.3f}" if sure else "no alignment at all"
            n_refused = sum(one.refused for one in own)
            report.fact(f"{condition}, {kind} words", f"{n_refused} of {len(own)} refused, {spread}")
    for one in outcomes:
        if one.refused and one.trial.kind == "right":
            sure = "no alignment" if one.confidence is None else f"{one.confidence:.3f}"
            report.fact(f"refused though right, {one.trial.condition}", f"{one.trial.clip.name}, {sure}")
    right = [one for one in outcomes if one.trial.kind == "right" and one.trial.condition in _JUDGED]
    wrong = [one for one in outcomes if one.trial.kind != "right"]
    report.limit("right words refused, clean and telephone", sum(one.refused for one in right), at_most=0)
    share = 100 * sum(one.refused for one in wrong) / len(wrong)
    report.limit("wrong words refused, all conditions", share, at_least=_LEAST_REFUSED, unit="%")


def measure_boundaries(report: Report, clips: Sequence[Clip], name: str, aligner: Aligner) -> None:
    """How far boundaries are off; limits are for pocketsphinx only."""
    report.section(f"boundaries of words: {name}")
    for group in dict.fromkeys(clip.group for clip in clips):
        errors: list[float] = []
        ious: list[float] = []
        for clip in clips:
            if clip.group != group or clip.times is None:
                continue
            answer = aligner.align(clip.samples, RATE, clip.words)
            words = answer.words if isinstance(answer, AlignedWords) else answer
            for word, (start, end) in zip(
                check_alignment(words, clip.words, clip.seconds), clip.times, strict=True
            ):
                errors += [1000 * abs(word.start - start), 1000 * abs(word.end - end)]
                both = max(0.0, min(word.end, end) - max(word.start, start))
                ious.append(both / (max(word.end, end) - min(word.start, start)))
        if not ious:
            continue
        own = name.startswith("pocketsphinx")
        most, least = _BOUNDARIES[group] if own else (float("inf"), 0.0)
        tail = sorted(errors)[int(0.9 * len(errors))]
        note = f"{len(ious)} words, 90th percentile {tail:.0f} ms"
        report.limit(f"{group}, median error", median(errors), at_most=most, unit=" ms", note=note)
        report.limit(f"{group}, mean IoU", mean(ious), at_least=least)


class Part(NamedTuple):
    """A tree of a transcript that is partly wrong, and what came of it."""

    condition: str  # what was done to the transcript, and how long the recording is
    is_right: bool  # whether it is of this recording, and in its place unless it was not found at all
    confidence: float | None  # None if nothing could be aligned


def spoil(rng: Random, clips: Sequence[Clip], others: Sequence[Clip], how: str, share: float) -> list[int]:
    """Return which clip each tree is of, in the order of the transcript; -1 - n is clip n of the others."""
    trees = list(range(len(clips)))
    chosen = sorted(rng.sample(trees, max(2, round(share * len(trees)))))
    if how == "replaced":
        for place in chosen:
            trees[place] = -1 - rng.randrange(len(others))
    elif how == "reordered":
        for place, other in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
            trees[place] = other
    elif how == "dropped":
        trees = [tree for tree in trees if tree not in chosen]
    return trees


def judge_parts(task: tuple[str, Sequence[Clip], Sequence[Clip], str, float]) -> list[Part]:
    """Align a partly wrong transcript with clips that are said one after the other."""
    name, clips, others, how, share = task
    if not _aligner:
        _aligner.append(SphinxAligner())
    pause = numpy.zeros(round(_PART_PAUSE * RATE), numpy.float32)
    samples = numpy.concatenate([sound for clip in clips for sound in (clip.samples, pause)])
    samples = CONDITIONS[name.partition(", ")[2]](samples)
    ends = list(accumulate(clip.seconds + _PART_PAUSE for clip in clips))
    trees = spoil(Random(f"{name} {how} {share}"), clips, others, how, share)
    words = [(clips[tree] if tree >= 0 else others[-1 - tree]).words for tree in trees]
    length = "above" if ends[-1] > LONG else "below"
    condition = f"{how}, {share:g}, {length} {LONG:g} s"
    try:
        found = _aligner[0].align(
            samples, RATE, [w for one in words for w in one], parts=list(map(len, words))
        )
    except AlignmentError:
        return [Part(condition, tree >= 0, None) for tree in trees]
    parts, at = [], 0
    for place, (tree, own, confidence) in enumerate(zip(trees, words, found.part_confidences, strict=True)):
        start, end = found.words[at][1], found.words[at + len(own) - 1][2]
        at += len(own)
        if tree < 0:
            is_right = False
        elif start is None or end is None:  # not found, as is expected only if it was moved
            is_right = how != "reordered" or tree == place
        else:
            said = ends[tree] - _PART_PAUSE - clips[tree].seconds, ends[tree] - _PART_PAUSE
            both = min(end, said[1]) - max(start, said[0])
            is_right = both >= 0.5 * (max(end, said[1]) - min(start, said[0]))
        parts.append(Part(condition, is_right, confidence))
    return parts


def measure_parts(report: Report, recordings: dict[str, tuple[Sequence[Clip], Sequence[Clip]]]) -> None:
    """How many wrong and right trees are named where a transcript is partly wrong.

    A tree is named if its confidence is below the level of suspicion, or nothing could be aligned.
    """
    report.section("trees named in partly wrong transcripts")
    tasks = [
        (name, clips, others, how, share)
        for name, (clips, others) in recordings.items()
        for how, share in [("right", 0.0), *product(("replaced", "reordered", "dropped"), (0.25, 0.5, 0.75))]
    ]
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        parts = [part for found in pool.map(judge_parts, tasks) for part in found]
    for condition in sorted({part.condition for part in parts}):
        own = [part for part in parts if part.condition == condition]
        told = []
        for kind, is_right in (("wrong", False), ("right", True)):
            kin = [part for part in own if part.is_right == is_right]
            named = [part for part in kin if part.confidence is None or part.confidence < _SUSPECT]
            told.append(f"{kind}: {len(named)} of {len(kin)}")
        lost = sum(part.confidence is None for part in own)
        report.fact(condition, "; ".join(told) + (f"; {lost} could not be aligned" if lost else ""))
    aligned = [part for part in parts if part.confidence is not None]
    for kind, is_right, limit in (("wrong", False, {"at_least": 80.0}), ("right", True, {"at_most": 10.0})):
        kin = [part for part in parts if part.is_right == is_right]
        named = sum(part.confidence is None or part.confidence < _SUSPECT for part in kin)
        report.limit(f"{kind} trees named, all conditions", 100 * named / len(kin), unit="%", **limit)
    report.fact("trees that were aligned", f"{len(aligned)} of {len(parts)}")


def _real_recordings(cut: Sequence[Clip]) -> dict[str, tuple[Sequence[Clip], Sequence[Clip]]]:
    """Return recordings of real clips, with the clips that are not in each, under each condition.

    They are the utterances of one file, which take less than a minute, and those of all files but four.
    """
    usable = [clip for clip in cut if len(clip.words) >= 3]
    groups = {name: [clip for clip in usable if clip.name.startswith(name)] for name in _LONG_CLIPS}
    groups["all"] = Random(3).sample(usable, len(usable) - 4) if len(usable) > 4 else []
    return {
        f"{name}, {condition}": (own, [clip for clip in usable if clip not in own])
        for name, own in groups.items()
        if len(own) >= 4
        for condition in CONDITIONS
    }


def _synthetic_recordings(sizes: Sequence[int]) -> dict[str, tuple[Sequence[Clip], Sequence[Clip]]]:
    """Return recordings of so many sentences each, by held-out voices under each condition in turn."""
    found = {}
    for number, (voice, size) in enumerate(product(HELD_OUT_VOICES, sizes)):
        clips = synthetic_clips(Random(2).sample(SENTENCES, len(SENTENCES)), [voice])
        condition = list(CONDITIONS)[number % len(CONDITIONS)]
        found[f"{voice.name} {size}, {condition}"] = clips[:size], clips[size:]
    return found


def _rotated(voices: Sequence[Voice], sentences: Sequence[str]) -> list[Clip]:
    """Each sentence by one of the voices in turn."""
    return [
        clip
        for number, text in enumerate(sentences)
        for clip in synthetic_clips([text], [voices[number % len(voices)]])
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--folder", type=Path, default=os.environ.get("STRUCTIOU_SPEECH"))
    parser.add_argument("--aligner", action="append", help="as project's, for boundaries on the same clips")
    parser.add_argument("--model", help="of --aligner ctc")
    args, rest = parser.parse_known_args(argv)
    report = Report("Measures forced alignment.", rest, libraries=["pocketsphinx"], needs_core=False)
    aligners = {
        name: load_aligner(name, model=args.model if name == "ctc" else None)
        for name in args.aligner or ["pocketsphinx"]
    }
    recordings = _synthetic_recordings([8] if report.quick else [10, 26])
    if args.folder is not None:
        whole = real_clips(Path(args.folder))
        cut = [piece for clip in whole for piece in pieces(clip)]
        if report.quick:
            whole, cut = whole[:1], cut[:3]
        for name, aligner in aligners.items():
            measure_boundaries(report, whole, name, aligner)
        measure_refusals(report, "real clips", cut)
        recordings |= _real_recordings(cut)
    texts = SENTENCES[:2] if report.quick else SENTENCES
    held_out = _rotated(HELD_OUT_VOICES, texts)
    for name, aligner in aligners.items():
        measure_boundaries(report, held_out, name, aligner)
    measure_refusals(report, "synthetic voices, held out", held_out)
    if not report.quick:
        calibration = _rotated(CALIBRATION_VOICES, texts)
        measure_refusals(report, "synthetic voices, by which the level was chosen", calibration)
    measure_parts(report, dict(list(recordings.items())[:2]) if report.quick else recordings)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

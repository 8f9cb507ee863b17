"""What is written in a format comes back, and damage is an error that says so."""

from __future__ import annotations

import csv
import io
import json
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from structiou_metric import TreeFormatError
from structiou_metric.speech import FILLERS, FORMATS, SILENCES, TimedWord, read_words
from support.examples import examples
from support.extras import need
from support.paths import SPEECH

SILENT = {label.casefold() for label in SILENCES}
QUICK = examples(40, HealthCheck.function_scoped_fixture)

SAMPLES = [
    *(
        "maus.TextGrid",
        "mfa.json",
        "mfa.csv",
        "one.ctm",
        "whisper.json",
        "whisperx.json",
        "transformers.json",
    ),
    *("switchboard.A.terminals.xml", "ami.words.xml", "words.tsv", "audacity.txt", "words.json"),
]

# Times are multiples of 1/8 s, which every format holds exactly.
STEP = 0.125


def is_word(text):
    return text.casefold() not in SILENT and not text.startswith(";;") and "," not in text


texts = st.one_of(
    st.sampled_from(["so", "um", "can't", "שלום", "7", '"', "<unk>", "-LRB-", "naïve", "Uh"]),
    st.text(st.characters(categories=("L", "N", "M", "P")), min_size=1, max_size=6).filter(is_word),
)


@st.composite
def recordings(draw, silent=True):
    """Labels with times that touch or leave gaps; some are silences."""
    clock, rows = draw(st.integers(0, 8)) * STEP, []
    for _ in range(draw(st.integers(1, 12))):
        text = draw(st.sampled_from(SILENCES[1:])) if silent and rows and draw(st.booleans()) else draw(texts)
        clock += draw(st.sampled_from([0, 0, 1, 4])) * STEP
        end = clock + draw(st.integers(1, 8)) * STEP
        rows.append((text, clock, end))
        clock = end
    return rows


def write_textgrid(rows, path, form="short_textgrid"):
    need("praatio")
    from praatio import textgrid

    grid = textgrid.Textgrid(0, 100)
    grid.addTier(textgrid.IntervalTier("words", [(start, end, text) for text, start, end in rows], 0, 100))
    grid.save(str(path), form, includeBlankSpaces=True)


def write_long_textgrid(rows, path):
    write_textgrid(rows, path, "long_textgrid")


def write_mfa_json(rows, path):
    entries = [[start, end, text] for text, start, end in rows]
    tiers = {"words": {"type": "interval", "entries": entries}, "phones": {"type": "interval", "entries": []}}
    path.write_text(json.dumps({"start": 0, "end": 100, "tiers": tiers}), encoding="utf-8")


def write_mfa_csv(rows, path):
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["Begin", "End", "Label", "Type", "Speaker"])
    writer.writerows(
        [start, end, word, kind, "A"] for kind in ("words", "phones") for word, start, end in rows
    )
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def write_ctm(rows, path):
    lines = [
        f"rec {channel} {start} {end - start} {word} 0.5\n" for channel in "12" for word, start, end in rows
    ]
    path.write_text("".join(lines), encoding="utf-8")


def write_whisper(rows, path):
    words = [{"word": " " + word, "start": start, "end": end, "probability": 1} for word, start, end in rows]
    segments = [{"id": 0, "words": words[:3], "text": ""}, {"id": 1, "words": words[3:], "text": ""}]
    path.write_text(json.dumps({"text": "", "segments": segments}), encoding="utf-8")


def write_nxt(rows, path):
    words = "".join(
        f'<word nite:id="s{number}" nite:start="{start}" nite:end="{end}" orth={quoteattr(word)}/>'
        "\n<punc>,</punc>\n"
        for number, (word, start, end) in enumerate(rows)
    )
    root = '<nite:root xmlns:nite="http://nite.sourceforge.net/">'
    path.write_text(f"{root}\n{words}\n</nite:root>\n", encoding="utf-8")


def write_tsv(rows, path):
    lines = ["start\tend\tword\n", *(f"{start}\t{end}\t{word}\n" for word, start, end in reversed(rows))]
    path.write_text("".join(lines), encoding="utf-8")


def write_json(rows, path):
    path.write_text(json.dumps(rows[::-1], ensure_ascii=False), encoding="utf-8")


WRITERS = {
    "textgrid": (write_textgrid, {}),
    "textgrid, long": (write_long_textgrid, {}),
    "mfa-json": (write_mfa_json, {}),
    "mfa-csv": (write_mfa_csv, {"tier": "words"}),
    "ctm": (write_ctm, {"speaker": "1"}),
    "whisper": (write_whisper, {}),
    "nxt": (write_nxt, {}),
    "tsv": (write_tsv, {}),
    "json": (write_json, {}),
}


def test_roundtrip_has_a_writer_for_every_format():
    assert {name.partition(",")[0] for name in WRITERS} == set(FORMATS)


@pytest.mark.parametrize("name", WRITERS)
@QUICK
@given(rows=recordings())
@example(rows=[("a", 0.0, 1.0)])
def test_roundtrip(name, rows, tmp_path):
    write, options = WRITERS[name]
    path = tmp_path / "x"
    write(rows, path)
    transcript = read_words(path, format=name.partition(",")[0], **options)
    said = [TimedWord(*row) for row in rows if row[0].casefold() not in SILENT]
    assert transcript.words == said
    gaps = transcript.n_silences - (len(rows) - len(said))
    assert gaps >= 0 if name.startswith("textgrid") else gaps == 0  # praatio writes blanks into gaps
    assert (transcript.n_estimated, transcript.n_moved, transcript.n_fillers) == (0, 0, 0)
    assert transcript.n_marks == (len(rows) if name == "nxt" else 0)
    guessed = read_words(path, **options)
    assert guessed.words == said or name == "tsv"  # a table is guessed where it is nothing else


@QUICK
@given(rows=recordings(), data=st.data())
def test_counts_add_up(rows, data, tmp_path):
    """Every label is a word, a silence or a filler, and those without times are counted."""
    lacking = data.draw(st.sets(st.integers(1, len(rows))))
    values = [
        [word, *((None, None) if i in lacking else (start, end))] for i, (word, start, end) in enumerate(rows)
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    transcript = read_words(path, fillers="drop")
    assert len(transcript.words) + transcript.n_silences + transcript.n_fillers == len(rows)
    said = [(i, row[0]) for i, row in enumerate(rows) if row[0].casefold() not in SILENT]
    kept = [(i, text) for i, text in said if text.strip(".,;:!?…-–—'\"()[]<>{}%&").casefold() not in FILLERS]
    assert [word.text for word in transcript.words] == [text for _, text in kept]
    assert [word.estimated for word in transcript.words] == [i in lacking for i, _ in kept]
    times = [time for word in transcript.words for time in word[1:3]]
    assert times == sorted(times)
    known = {i: row[1:] for i, row in enumerate(rows) if i not in lacking}
    assert all(
        word[1:3] == known[i] for (i, _), word in zip(kept, transcript.words, strict=True) if i in known
    )


@QUICK
@given(rows=recordings(silent=False), shifts=st.lists(st.floats(-0.005, 0.005), min_size=24, max_size=24))
def test_rounded_starts_and_durations_are_read(rows, shifts, tmp_path):
    """As a recogniser writes them to 0.01 s: they may overlap by one such step, and never do when read."""
    lines = []
    for i, (_, start, end) in enumerate(rows):
        start, end = max(0, start + shifts[2 * i]), end + shifts[2 * i + 1]
        lines.append(f"r 1 {start:.2f} {end - start:.2f} w{i}\n")
    path = tmp_path / "x.ctm"
    path.write_text("".join(lines), encoding="utf-8")
    words = read_words(path).words
    times = [time for word in words for time in word[1:3]]
    assert times == sorted(times)
    for (_, start, end), word in zip(rows, words, strict=True):
        assert word.start == pytest.approx(start, abs=0.03)
        assert word.end == pytest.approx(end, abs=0.03)


@pytest.mark.parametrize("name", SAMPLES)
@examples(30, HealthCheck.function_scoped_fixture)
@given(data=st.data())
def test_damage_is_an_error_or_harmless(name, data, tmp_path):
    """Whatever bytes are changed, cut out or put in: words that hold what is promised, or our error."""
    if name.endswith("TextGrid"):
        need("praatio")
    content = bytearray((SPEECH / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        cut = data.draw(st.integers(0, 20))
        content[at : at + cut] = data.draw(
            st.one_of(
                st.binary(max_size=4),
                st.sampled_from([b"-", b'"', b"\n", b"\t", b"null", b"1e9", b"[", b"}", b"<"]),
            )
        )
    path = tmp_path / name
    path.write_bytes(bytes(content))
    try:
        words = read_words(path).words
    except TreeFormatError as error:
        message = str(error)
    else:
        check(words)
        return
    assert message.startswith(str(path))


def check(words):
    times = [time for word in words for time in word[1:3]]
    assert words
    assert times == sorted(times)
    assert times[0] >= 0
    assert all(word.text == word.text.strip() != "" for word in words)

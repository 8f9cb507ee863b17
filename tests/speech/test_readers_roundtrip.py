"""What is written in a format comes back, and damage is an error that says so."""

from __future__ import annotations

import csv
import io
import json
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from structiou_metric import TreeFormatError
from structiou_metric.speech import FILLERS, FORMATS, SILENCES, TimedWord, read_words
from support.examples import examples
from support.extras import need
from support.paths import SPEECH

SILENT = {label.casefold() for label in SILENCES}
QUICK = examples(20, HealthCheck.function_scoped_fixture)

SAMPLES = sorted(path.name for path in SPEECH.iterdir() if path.is_file())

LATIN = st.characters(min_codepoint=97, max_codepoint=119)
UNNAMED = (
    "tsv",
    "timit",
    "whisper-tsv",
)  # not told from their content alone, or only where words are long enough

KEYS = [
    "words",
    "word",
    "start",
    "end",
    "results",
    "alternatives",
    "items",
    "segments",
    "tiers",
    "result",
    "w",
]
KEYS += [
    "b",
    "d",
    "t",
    "monologues",
    "elements",
    "transcription",
    "offsets",
    "channels",
    "text",
    "timestamps",
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


def write_srt(rows, path):
    cues = (f"{n}\n{clock(start)} --> {clock(end)}\n{word}\n" for n, (word, start, end) in enumerate(rows, 1))
    path.write_text("\n".join(cues), encoding="utf-8")


def write_ass(rows, path):
    lines = (f"Dialogue: 0,{clock(a, '.')},{clock(b, '.')},Default,{word}\n" for word, a, b in rows)
    head = "[Script Info]\n\n[Events]\nFormat: Layer, Start, End, Style, Text\n"
    path.write_text(head + "".join(lines), encoding="utf-8")


def blank_before(word):
    """A token that begins a word."""
    return {**word, "text": f" {word['text']}"}


def write_vtt(rows, path):
    """As YouTube has them: a cue for a word and the next one, where they touch."""
    cues, at = [], 0
    while at < len(rows):
        word, start, end = rows[at]
        text, at = word, at + 1
        if at < len(rows) and rows[at][1] == end:
            text, end, at = f"{text}<{clock(end, '.')}><c> {rows[at][0]}</c>", rows[at][2], at + 1
        cues.append(f"{clock(start, '.')} --> {clock(end, '.')} align:start position:0%\n \n{text}\n")
    path.write_text("WEBVTT\nKind: captions\n\n" + "\n".join(cues), encoding="utf-8")


def clock(seconds, point=","):
    return f"00:{int(seconds) // 60:02}:{int(seconds) % 60:02}{point}{round(seconds * 1000) % 1000:03}"


def write_whisper_tsv(rows, path):
    lines = (f"{start * 1000:.0f}\t{end * 1000:.0f}\t{word}\n" for word, start, end in rows)
    path.write_text("start\tend\ttext\n" + "".join(lines), encoding="utf-8")


def write_cpp(rows, path):
    parts = [
        {"text": " " + word, "offsets": {"from": start * 1000, "to": end * 1000}} for word, start, end in rows
    ]
    value = {"transcription": [{"text": "", "offsets": {}, "tokens": [part]} for part in parts]}
    path.write_text(json.dumps(value), encoding="utf-8")


def write_lines(pattern, top="", bottom="", unit=1):
    """A writer of a line a word."""

    def write(rows, path):
        lines = [
            pattern.format(
                word=word, start=start * unit, end=end * unit, samples=(end - start) * unit - 1, n=n
            )
            for n, (word, start, end) in enumerate(rows)
        ]
        path.write_text(top + "".join(lines) + bottom, encoding="utf-8")

    return write


def write_buckeye(rows, path):
    lines, last = ["signal s01\n", "type 0\n", "#\n"], 0.0
    for word, start, end in rows:
        if start > last:
            lines.append(f" {start} 122 <SIL>; S; S; null\n")
        lines.append(f" {end} 122 {word}; x; x; NN\n")
        last = end
    path.write_text("".join(lines), encoding="utf-8")


def write_partitur(rows, path):
    lines = [
        "LHD: Partitur 1.3\nSAM: 16000\nLBD:\n",
        *(f"ORT:\t{n}\t{row[0]}\n" for n, row in enumerate(rows)),
    ]
    for n, (_, start, end) in enumerate(rows):
        lines.append(f"MAU:\t{start * 16000:.0f}\t{(end - start) * 16000 - 1:.0f}\t{n}\tx\n")
    path.write_text("".join(lines), encoding="utf-8")


def write_eaf(rows, path):
    slots = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="{kind}{n}" TIME_VALUE="{time * 1000:.0f}"/>'
        for n, (_, *times) in enumerate(rows)
        for kind, time in zip("ab", times, strict=True)
    )
    words = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="w{n}" TIME_SLOT_REF1="a{n}" TIME_SLOT_REF2="b{n}">'
        f"<ANNOTATION_VALUE>{escape(word)}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>\n"
        for n, (word, _, _) in enumerate(rows)
    )
    text = f'<TIME_ORDER>{slots}</TIME_ORDER>\n<TIER TIER_ID="words">{words}</TIER>'
    path.write_text(f"<ANNOTATION_DOCUMENT>{text}</ANNOTATION_DOCUMENT>", encoding="utf-8")


def write_chat(rows, path):
    words = " ".join(f"{word} \x15{start * 1000:.0f}_{end * 1000:.0f}\x15" for word, start, end in rows)
    said = " ".join(word for word, _, _ in rows)
    path.write_text(f"@UTF8\n@Begin\n*CHI:\t{said} .\n%wor:\t{words} .\n@End\n", encoding="utf-8")


def write_keys(way, word="word", start="start", end="end", unit=1, **rest):
    """A writer of JSON: `way` puts the words, whose keys are given, where they belong."""

    def write(rows, path):
        value = [{word: text, start: a * unit, end: b * unit, **rest} for text, a, b in rows]
        path.write_text(json.dumps(way(value)), encoding="utf-8")

    return write


def write_lasting(way, word, start, length, unit=1, **rest):
    """The same with a duration."""

    def write(rows, path):
        value = [{word: text, start: a * unit, length: (b - a) * unit, **rest} for text, a, b in rows]
        path.write_text(json.dumps(way(value)), encoding="utf-8")

    return write


def write_items(way, kind):
    """The same with the text among alternatives."""

    def write(rows, path):
        value = [
            {"alternatives": [{"content": text}], "start_time": str(a), "end_time": b, "type": kind}
            for text, a, b in rows
        ]
        path.write_text(json.dumps(way(value)), encoding="utf-8")

    return write


def write_google(rows, path):
    words = [{"word": word, "startTime": f"{start}s", "endTime": f"{end}s"} for word, start, end in rows]
    path.write_text(json.dumps({"results": [{"alternatives": [{"words": words}]}]}), encoding="utf-8")


def write_ibm(rows, path):
    path.write_text(json.dumps({"results": [{"alternatives": [{"timestamps": rows}]}]}), encoding="utf-8")


# Of these the labels have marks of their own, so that only letters come back as they are.
LETTERS = (
    "srt",
    "vtt",
    "whisper-cpp",
    "pocketsphinx",
    "chat",
    "timit",
    "buckeye",
    "ms98",
    "htk",
    "partitur",
    "eaf",
)
LETTERS += ("whisper-tsv", "ass")

WRITERS = {
    "whisper-cpp": (write_cpp, {}),
    "whisper-tsv": (write_whisper_tsv, {}),
    "srt": (write_srt, {}),
    "vtt": (write_vtt, {}),
    "aws": (write_items(lambda words: {"results": {"items": words}}, "pronunciation"), {}),
    "google": (write_google, {}),
    "ibm": (write_ibm, {}),
    "azure": (
        write_lasting(
            lambda words: {"recognizedPhrases": [{"nBest": [{"words": words}]}]},
            *("word", "offsetInTicks", "durationInTicks", 10_000_000),
        ),
        {},
    ),
    "deepgram": (
        write_keys(lambda words: {"results": {"channels": [{"alternatives": [{"words": words}]}]}}),
        {},
    ),
    "assemblyai": (write_keys(lambda words: {"audio_url": "", "words": words}, "text", unit=1000), {}),
    "vosk": (write_keys(lambda words: {"result": words, "text": ""}), {}),
    "nemo": (write_keys(lambda words: {"audio_filepath": "a.wav", "timestamps_word": words}), {}),
    "speechmatics": (write_items(lambda words: {"results": words}, "word"), {}),
    "rev": (
        write_keys(lambda words: {"monologues": [{"elements": words}]}, "value", "ts", "end_ts", type="text"),
        {},
    ),
    "bbc-kaldi": (write_keys(lambda words: {"retval": {"words": words}}), {}),
    "pocketsphinx": (write_lasting(lambda words: {"b": 0, "d": 9, "w": words}, "t", "b", "d"), {}),
    "gentle": (write_keys(lambda words: {"transcript": "", "words": words}, case="success"), {}),
    "aeneas": (
        write_keys(
            lambda words: {"fragments": [{**word, "lines": [word["text"]]} for word in words]},
            "text",
            "begin",
        ),
        {},
    ),
    "parakeet": (
        write_keys(lambda words: {"sentences": [{"tokens": [blank_before(word) for word in words]}]}, "text"),
        {},
    ),
    "gladia": (write_keys(lambda words: {"transcription": {"utterances": [{"words": words}]}}), {}),
    "soniox": (
        write_keys(
            lambda words: {"tokens": [blank_before(word) for word in words]},
            *("text", "start_ms", "end_ms"),
            unit=1000,
        ),
        {},
    ),
    "seglst": (write_keys(lambda words: words, "words", "start_time", "end_time", session_id="a"), {}),
    "ass": (write_ass, {}),
    "eaf": (write_eaf, {}),
    "chat": (write_chat, {}),
    "timit": (write_lines("{start:.0f} {end:.0f} {word}\n", unit=16000), {}),
    "buckeye": (write_buckeye, {}),
    "ms98": (write_lines("sw1A-ms98-a-0001 {start} {end} {word}\n"), {}),
    "htk": (write_lines("{start:.0f} {end:.0f} {word}\n", '#!MLF!#\n"*/x.lab"\n', ".\n", 10_000_000), {}),
    "partitur": (write_partitur, {}),
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
@given(rows=recordings(), letters=st.lists(st.text(LATIN, min_size=2, max_size=6), min_size=12, max_size=12))
@example(rows=[("a", 0.0, 1.0)], letters=["ab"] * 12)
def test_roundtrip(name, rows, letters, tmp_path):
    write, options = WRITERS[name]
    format = name.partition(",")[0]
    if format in LETTERS:
        rows = [(word, *times) for word, (_, *times) in zip(letters, rows, strict=False)]
    path = tmp_path / "x"
    write(rows, path)
    transcript = read_words(path, format=format, **options)
    said = [TimedWord(*row) for row in rows if row[0].casefold() not in SILENT]
    assert transcript.words == said
    gaps = transcript.n_silences - (len(rows) - len(said))
    assert (
        gaps >= 0 if name.startswith("textgrid") or name == "buckeye" else gaps == 0
    )  # they fill gaps with silence
    assert (transcript.n_estimated, transcript.n_moved, transcript.n_fillers) == (0, 0, 0)
    assert transcript.n_marks == {"nxt": len(rows), "chat": 1}.get(name, 0)
    if name not in UNNAMED:
        assert read_words(path, **options).words == said


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
@examples(12, HealthCheck.function_scoped_fixture)
@given(data=st.data())
def test_damage_is_an_error_or_harmless(name, data, tmp_path):
    """Whatever bytes are changed, cut out or put in: words that hold what is promised, or our error."""
    content = bytearray((SPEECH / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        cut = data.draw(st.integers(0, 20))
        content[at : at + cut] = data.draw(
            st.one_of(
                st.binary(max_size=4),
                st.sampled_from(
                    [
                        b"-",
                        b'"',
                        b"\n",
                        b"\t",
                        b"null",
                        b"1e9",
                        b"[",
                        b"}",
                        b"<",
                        b"-->",
                        b"{}",
                        b"9" * 400,
                        b"1e999",
                    ]
                ),
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


@pytest.mark.parametrize("format", [None, *FORMATS])
@examples(15, HealthCheck.function_scoped_fixture)
@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(str.encode),
        st.recursive(
            st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)),
            lambda inner: st.one_of(
                st.lists(inner, max_size=3),
                st.dictionaries(
                    st.sampled_from(KEYS),
                    inner,
                    max_size=4,
                ),
            ),
            max_leaves=12,
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_any_bytes_are_words_or_an_error(format, content, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(content)
    try:
        words = read_words(path, format=format).words
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

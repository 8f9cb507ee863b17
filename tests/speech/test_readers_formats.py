"""Each format of word times: its dialects, the choice of tier and speaker, and what it refuses."""

from __future__ import annotations

import csv

import pytest

from structiou_metric import TreeFormatError
from structiou_metric.speech import TimedWord, read_words
from support.extras import need
from support.paths import SPEECH

SAMPLE = [("so", 0.5, 0.72), ("um", 0.8, 1.1), ("I", 1.3, 1.38), ("can't", 1.38, 1.75), ("wait", 1.75, 2.2)]
ANNA = [("so", 0.5, 0.72), ("um", 0.8, 1.1)]
BEN = [("yes", 0.9, 1.25), ("please", 2.0, 2.4)]


pytestmark = pytest.mark.usefixtures("folder")


def plain(transcript):
    return [(word.text, word.start, word.end) for word in transcript.words]


def title(transcript):
    return transcript.title.replace(str(SPEECH), "").lstrip("/\\")


# ---------------------------------------------------------------------------------- all samples


@pytest.mark.parametrize(
    "name, n_silences, n_moved",
    [
        ("mfa.json", 4, 0),
        ("mfa.csv", 0, 0),
        ("one.ctm", 1, 1),
        ("words.tsv", 0, 0),
        ("audacity.txt", 1, 0),
        ("words.json", 0, 0),
    ],
)
def test_samples_hold_the_same_words(name, n_silences, n_moved):
    transcript = read_words(SPEECH / name)
    assert [
        (text.replace("i", "I") if text == "i" else text, *rest) for text, *rest in plain(transcript)
    ] == SAMPLE
    assert (transcript.n_silences, transcript.n_moved, transcript.n_estimated) == (n_silences, n_moved, 0)


# -------------------------------------------------------------------------------------- TextGrid


def textgrid(path, tiers, form="short_textgrid", encoding=None, end=20.0):
    """Writes a TextGrid with praatio: tiers of intervals, and of points where entries are pairs."""
    need("praatio")
    from praatio import textgrid as praat

    grid = praat.Textgrid(0, end)
    for name, rows in tiers.items():
        kind = praat.PointTier if rows and len(rows[0]) == 2 else praat.IntervalTier
        grid.addTier(kind(name, rows, 0, end))
    grid.save(str(path), form, includeBlankSpaces=True)
    if encoding is not None:
        path.write_bytes(path.read_bytes().decode("utf-8").encode(encoding))
    return path


def intervals(words):
    return [(start, end, text) for text, start, end in words]


@pytest.mark.parametrize("form", ["short_textgrid", "long_textgrid"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be with a mark"])
def test_textgrid_forms_and_encodings(folder, form, encoding):
    rows = [("שלום", 0.25, 1.0), ('"quoted"', 1.0, 1.5), ("naïve", 2.0, 2.5)]
    path = textgrid(folder / "x.TextGrid", {"words": intervals(rows)}, form, encoding.split()[0])
    if "mark" in encoding:
        path.write_bytes(b"\xfe\xff" + path.read_bytes())
    transcript = read_words(path)
    assert plain(transcript) == rows
    assert transcript.n_silences == 3  # before, between and behind


@pytest.mark.parametrize("form", ["json", "textgrid_json"])
def test_textgrid_as_json_of_praatio(folder, form):
    path = textgrid(folder / "x.json", {"words": intervals(SAMPLE), "clicks": [(1.0, "click")]}, form)
    assert plain(read_words(path)) == SAMPLE


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"], ids=["windows", "old mac"])
@pytest.mark.parametrize("form", ["short_textgrid", "long_textgrid"])
def test_textgrid_line_ends_and_no_last_one(folder, form, line_end):
    path = textgrid(folder / "x.TextGrid", {"words": intervals(SAMPLE)}, form, end=2.2)
    path.write_bytes(path.read_bytes().rstrip().replace(b"\n", line_end))
    assert plain(read_words(path)) == SAMPLE


def test_textgrid_of_maus():
    transcript = read_words(SPEECH / "maus.TextGrid")
    assert (plain(transcript), transcript.n_silences) == ([("so", 0.5, 0.72), ("wait", 1.75, 2.2)], 3)
    assert title(transcript) == "maus.TextGrid (tier 'ORT-MAU')"
    assert plain(read_words(SPEECH / "maus.TextGrid", tier="mau")) == [("x", 0.0, 2.6)]


@pytest.mark.parametrize(
    "names, options, want",
    [
        pytest.param(["speech"], {}, "speech", id="the only one"),
        pytest.param(["phones", "words"], {}, "words", id="words"),
        pytest.param(["Word", "Phone"], {}, "Word", id="in either case"),
        pytest.param(["Anna - words", "Anna - phones"], {}, "Anna - words", id="one speaker"),
        pytest.param(["Anna - words", "Ben - words"], {"speaker": "Ben"}, "Ben - words", id="speaker"),
        pytest.param(
            ["A - B - words", "words"], {"speaker": "a - b"}, "A - B - words", id="speaker with a dash"
        ),
        pytest.param(["Anna", "Ben"], {"speaker": "Ben"}, "Ben", id="tiers named by speakers"),
        pytest.param(["Anna", "Ben"], {"tier": "Anna"}, "Anna", id="tier"),
        pytest.param(["words", "Words"], {"tier": "Words"}, "Words", id="this very tier"),
        pytest.param(["A - x", "A - words"], {"tier": "x", "speaker": "A"}, "A - x", id="tier of a speaker"),
        pytest.param(["A - x", "A - words"], {"tier": "x"}, "A - x", id="tier of the only speaker"),
    ],
)
def test_tier_choice(read, names, options, want):
    tiers = {name: {"type": "interval", "entries": [[0, 1, name.replace(" ", "_")]]} for name in names}
    transcript = read({"start": 0, "end": 1, "tiers": tiers}, "x.json", **options)
    assert [word.text for word in transcript.words] == [want.replace(" ", "_")]
    assert transcript.title == f"x.json (tier {want!r})"


@pytest.mark.parametrize(
    "names, options, message",
    [
        pytest.param(
            ["Anna - words", "Ben - words", "x"],
            {},
            "there are several tiers of words; choose with tier= or speaker= from 'Anna - words', 'Ben - w",
            id="several speakers",
        ),
        pytest.param(
            ["a", "b"], {}, "there is no tier of words; choose with tier= .* from 'a', 'b'$", id="none"
        ),
        pytest.param(
            ["a", "b"], {"tier": "c"}, "there is no tier 'c'; choose .* from 'a', 'b'$", id="no such tier"
        ),
        pytest.param(
            ["words"], {"tier": "word"}, "there is no tier 'word'; choose .* from 'words'$", id="only another"
        ),
        pytest.param(
            ["A - words"],
            {"speaker": "B"},
            "there is no tier of words of speaker 'B'; choose .* from 'A - words'$",
            id="no such speaker",
        ),
        pytest.param(
            ["A - x", "B - x"],
            {"tier": "x"},
            "there are several tiers 'x'; choose .* from 'A - x', 'B - x'$",
            id="whose",
        ),
        pytest.param(
            [], {}, "there are no tiers with intervals; give a file with a tier of words$", id="no tiers"
        ),
    ],
)
def test_tier_choice_lists_the_tiers(read, names, options, message):
    tiers = {name: {"type": "interval", "entries": [[0, 1, "a"]]} for name in names}
    with pytest.raises(TreeFormatError, match="^x.json: " + message):
        read({"tiers": {**tiers, "points": {"type": "point", "entries": []}}}, "x.json", **options)


def test_textgrid_names_tier_and_interval(folder):
    path = textgrid(folder / "x.TextGrid", {"words": [(0, 1, "a"), (1, 2, "a b")]})
    message = r"x\.TextGrid: tier 'words', interval 2: the label 'a b' is more than one word"
    with pytest.raises(TreeFormatError, match=message):
        read_words(path, missing="error")


@pytest.mark.parametrize("form", ["short_textgrid", "long_textgrid"])
def test_textgrid_cut_off(folder, form):
    path = textgrid(folder / "x.TextGrid", {"words": intervals(SAMPLE)}, form)
    lines = path.read_text(encoding="utf-8").split("\n")
    for kept in range(14, len(lines) - 1):
        path.write_text("\n".join(lines[:kept]), encoding="utf-8")
        with pytest.raises(
            TreeFormatError, match=r"x\.TextGrid:\d+: this TextGrid cannot be read: it ends before the "
        ):
            read_words("x.TextGrid")


LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 2
        intervals: size = 2
        intervals [1]:
            xmin = START
            xmax = 1
            text = "a"
        intervals [2]:
            xmin = 1
            xmax = 2
            text = "b"
"""


@pytest.mark.parametrize("start, want", [("5.5e-17", 5.5e-17), ("-0", 0.0), ("2.5E-1", 0.25)])
def test_textgrid_numbers_with_exponents(read, start, want):
    assert plain(read(LONG.replace("START", start), "x.TextGrid"))[0] == ("a", pytest.approx(want), 1.0)


@pytest.mark.parametrize(
    "text, message",
    [
        pytest.param(
            LONG.replace("START", "-0.5"), r":16: the time -0.5 is before 0; times count from", id="negative"
        ),
        pytest.param(
            LONG.replace("START", "1.5"),
            r": tier 'words', interval 1: the word 'a' ends at 1.0 before",
            id="reversed",
        ),
        pytest.param(
            LONG.replace("START", "0").replace("xmin = 1\n", "xmin = 0.5\n"),
            r": tier 'words', interval 2: the word 'b' starts at 0.5 before 'a' ends at 1.0; words of one",
            id="overlap",
        ),
        pytest.param(
            LONG.replace("xmin = START", "xmin"),
            r':18: this TextGrid cannot be read: "a" stands where the end of interval 1 of tier',
            id="field",
        ),
        pytest.param(
            LONG.replace("size = 1", "size = 0").partition("    item [1]")[0],
            r": there are no tiers with intervals",
            id="no tiers",
        ),
        pytest.param(
            LONG.replace("tiers? <exists>", "tiers? <absent>").partition("size = 1")[0],
            r": there are no tiers with intervals",
            id="absent",
        ),
        pytest.param(
            LONG.replace("size = 1", "size = 0").replace("START", "0"),
            r':10: "IntervalTier" stands behind 0 tiers, which should be all; correct the sizes',
            id="too much",
        ),
        pytest.param(LONG.replace("START", "1e999"), r":16: the time 1e999 is not finite", id="infinite"),
        pytest.param(
            LONG.replace("START", "0").replace("size = 2", "size = 2.5"),
            r":14: the size of tier 'words' is 2.5, no whole number",
            id="half",
        ),
        pytest.param(
            LONG.replace("START", "0").replace("Interval", "Sound"),
            r":10: tier 1 is of the kind 'SoundTier', not IntervalTier or TextTier",
            id="kind",
        ),
        pytest.param(
            "ooBinaryFile\x08TextGrid",
            r": this is a binary TextGrid; save it as text with Praat$",
            id="binary",
        ),
        pytest.param(
            '"Praat chronological TextGrid text file"\n0 2\n',
            r": this is a chronological TextGrid; save",
            id="by time",
        ),
        pytest.param(
            'File type = "ooTextFile"\nObject class = "Pitch 1"\n',
            r": this is no TextGrid: Object",
            id="pitch",
        ),
        pytest.param('["TextGrid"]', r":1: this TextGrid cannot be read: it ends before", id="JSON"),
    ],
)
def test_textgrid_refuses(read, text, message):
    with pytest.raises(TreeFormatError, match=r"^x\.TextGrid" + message):
        read(text, "x.TextGrid")


def test_textgrid_tiers_of_the_same_name(read):
    item = LONG.replace("START", "0").partition("    item [1]:")[2]
    text = LONG.replace("START", "0").replace("size = 1", "size = 2") + "    item [2]:" + item
    with pytest.raises(
        TreeFormatError, match=r"several tiers have the same name: 'words', 'words'; rename all but one$"
    ):
        read(text, "x.TextGrid")


POINTS = """    item [2]:
        class = "TextTier"
        name = "clicks"
        xmin = 0
        xmax = 2
        points: size = 1
        points [1]:
            time = 0.5
            mark = "click"
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LONG.replace("size = 1", "size = 2") + POINTS, id="points with a time"),
        pytest.param(
            LONG.replace("size = 1", "size = 2") + POINTS.replace("time =", "number ="),
            id="points with a number",
        ),
        pytest.param(LONG.replace("\n\n", "\n"), id="no blank line in the header"),
        pytest.param(" ".join(LONG.split("\n")), id="all on one line"),
        pytest.param(LONG.replace("item []:", "! a comment, 7 of it\nitem []:"), id="a comment"),
    ],
)
def test_textgrid_as_other_programs_write_it(read, text):
    assert plain(read(text.replace("START", "0"), "x.TextGrid")) == [("a", 0.0, 1.0), ("b", 1.0, 2.0)]


def test_textgrid_labels_with_quotation_marks_and_line_ends(read):
    text = LONG.replace("START", "0").replace('"a"', '"""so"""').replace('"b"', '"no\n!! 7"')
    transcript = read(text, "x.TextGrid")
    assert [word.text for word in transcript.words] == ['"so"', "no!!", "7"]
    assert transcript.n_estimated == 2


@pytest.mark.parametrize("name", ["phones", "Phone", "Anna - phones", "MAU"])
def test_textgrid_of_sounds_only(read, name):
    text = LONG.replace("START", "0").replace('"words"', f'"{name}"')
    with pytest.raises(
        TreeFormatError, match=f"^x.TextGrid: the tier '{name}' is of sounds, not of words; give"
    ):
        read(text, "x.TextGrid")
    assert len(read(text, "x.TextGrid", tier=name).words) == 2


# ------------------------------------------------------------------------------------------- MFA


@pytest.mark.parametrize("name", ["mfa_two.json", "mfa_two.csv"])
def test_mfa_speakers(name):
    assert plain(read_words(SPEECH / name, speaker="Anna")) == ANNA
    assert plain(read_words(SPEECH / name, tier="words", speaker="Ben")) == BEN
    assert plain(read_words(SPEECH / name, tier="Ben - words")) == BEN
    assert read_words(SPEECH / name, tier="phones", speaker="Anna").words[0].text == "S"
    message = (
        r"there are several tiers of words; choose with tier= or speaker= from 'Anna - words', 'Ben - words'$"
    )
    with pytest.raises(TreeFormatError, match=message):
        read_words(SPEECH / name)


def test_mfa_csv_counts_blank_labels_and_takes_the_only_speaker_by_name(read):
    assert read_words(SPEECH / "mfa_two.csv", speaker="Ben").n_silences == 1
    assert len(read_words(SPEECH / "mfa.csv", speaker="Anna").words) == 5
    with pytest.raises(
        TreeFormatError,
        match=r"there is no tier of words of speaker 'Ben'; .* 'Anna - words', 'Anna - phones'$",
    ):
        read_words(SPEECH / "mfa.csv", speaker="Ben")
    assert plain(read("Begin,End,Label,Type\n0,1,a,words\n", "x.csv")) == [
        ("a", 0.0, 1.0)
    ]  # without speakers


def test_mfa_csv_quotes(folder):
    with open("x.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows(
            [
                ["Begin", "End", "Label", "Type", "Speaker"],
                [0, 1, '"', "words", "A, B"],
                [1, 2, ",", "words", "A, B"],
            ]
        )
    assert plain(read_words("x.csv")) == [('"', 0.0, 1.0), (",", 1.0, 2.0)]


@pytest.mark.parametrize(
    "name, value, message",
    [
        pytest.param("x.csv", "Begin,End,Label,Type\n0,1,a\n", r":2: 3 cells, but 4 columns$", id="cells"),
        pytest.param(
            "x.csv", "Begin,End,Label,Type\n0,x,a,words\n", r":2: the End 'x' is no number", id="number"
        ),
        pytest.param("x.csv", 'Begin,End,Label,Type\n0,1,"a,words\n', r":2: this is not CSV: ", id="quote"),
        pytest.param(
            "x.csv", "Begin,End,Label,Type\n", r": there are no rows below the names of the", id="no rows"
        ),
        pytest.param(
            "x.json", {"tiers": 1}, r': there are no "tiers": this is no JSON of the Montreal', id="no tiers"
        ),
        pytest.param(
            "x.json",
            {"tiers": [1]},
            r": tiers\[0\]: a tier is an object with a type and entries$",
            id="no tier",
        ),
        pytest.param(
            "x.json",
            {"tiers": {"w": {}}},
            r": tiers\[0\]: a tier has a name, a type and a list of",
            id="blank tier",
        ),
        pytest.param(
            "x.json",
            {"tiers": {"w": {"type": "interval", "entries": [[0, 1, "a"], [1, 2]]}}},
            r": tier 'w', entries\[1\]: an entry is a list \[start, end, label\]$",
            id="entry",
        ),
        pytest.param(
            "x.json",
            {"tiers": {"w": {"type": "interval", "entries": [[True, 1, "a"]]}}},
            r": tier 'w', entries\[0\]: the start True is no number; give seconds$",
            id="truth",
        ),
        pytest.param(
            "x.json",
            {"tiers": {"w": {"type": "interval", "entries": [[0, float("nan"), "a"]]}}},
            r": tier 'w', entries\[0\]: the end nan is not finite; give seconds$",
            id="NaN",
        ),
        pytest.param(
            "x.json",
            {"tiers": {"w": {"type": "interval", "entries": [[0, 10**400, "a"]]}}},
            r": tier 'w', entries\[0\]: the end 10+\.\.\. is no number",
            id="huge",
        ),
    ],
)
def test_mfa_refuses(read, name, value, message):
    with pytest.raises(TreeFormatError, match=f"^{name}" + message):
        read(value, name)


# ------------------------------------------------------------------------------------------- CTM


@pytest.mark.parametrize(
    "speaker, want",
    [
        pytest.param("call1 A", ANNA, id="source and channel"),
        pytest.param("B", BEN, id="channel"),
        pytest.param("call2", [("hello", 0.1, 0.4)], id="source"),
    ],
)
def test_ctm_choice(speaker, want):
    assert plain(read_words(SPEECH / "two.ctm", speaker=speaker)) == want


def test_ctm_lists_the_choices(read):
    message = r"there are several recordings; choose with speaker= from 'call1 A', 'call1 B', 'call2 A'$"
    with pytest.raises(TreeFormatError, match=message):
        read_words(SPEECH / "two.ctm")
    with pytest.raises(
        TreeFormatError, match=r"several recordings 'A'; choose with speaker= from 'call1 A', 'call2 A'$"
    ):
        read_words(SPEECH / "two.ctm", speaker="A")
    with pytest.raises(
        TreeFormatError, match=r"there is no recording 'C'; choose with speaker= from 'call1 A', "
    ):
        read_words(SPEECH / "two.ctm", speaker="C")
    many = "".join(f"u{number:02} 1 0 1 a\n" for number in range(30))
    with pytest.raises(TreeFormatError, match=r"'u19 1' and 10 more$"):
        read(many, "x.ctm")


def test_ctm_speaker_of_the_only_channel_must_be_right():
    assert len(read_words(SPEECH / "one.ctm", speaker="rec7").words) == 5
    with pytest.raises(
        TreeFormatError, match=r"there is no channel 'rec8'; choose with speaker= from 'rec7 1'$"
    ):
        read_words(SPEECH / "one.ctm", speaker="rec8")


def test_ctm_channels_of_one_recording(read):
    with pytest.raises(
        TreeFormatError, match=r"^x\.ctm: there are several channels; choose with speaker= from 'r 1', "
    ):
        read("r 1 0 1 a\nr 2 0 1 b\n", "x.ctm")


def test_ctm_takes_the_first_of_alternatives(read):
    lines = ["1 0 0.5 so", "1 * * <ALT_BEGIN>", "1 1 0.5 a", "1 1.5 0.5 b", "1 * * <ALT>", "1 1 1 ab"]
    lines += ["1 * * <ALT>", "1 * * <ALT_END>", "1 2 0.5 end"]
    transcript = read("".join(f"r {line}\n" for line in lines), "x.ctm")
    assert plain(transcript) == [("so", 0.0, 0.5), ("a", 1.0, 1.5), ("b", 1.5, 2.0), ("end", 2.0, 2.5)]
    assert transcript.summary() == "x.ctm: 4 words; left out: 2 alternatives"


def test_ctm_durations_may_be_negative_within_the_tolerance(read):
    transcript = read("r 1 0 1 a\nr 1 1 -0.01 b\nr 1 1 1 c\n", "x.ctm")
    assert (plain(transcript), transcript.n_moved) == ([("a", 0.0, 1.0), ("b", 1.0, 1.0), ("c", 1.0, 2.0)], 1)


def test_ctm_words_of_the_same_time_share_it(read):
    transcript = read("r 1 0 1 a\nr 1 2 1 a\nr 1 2 1 b\nr 1 2 1 cd\n", "x.ctm")
    assert transcript.words[1:] == [
        TimedWord("a", 2.0, 2.25, True),
        TimedWord("b", 2.25, 2.5, True),
        TimedWord("cd", 2.5, 3.0, True),
    ]


def test_ctm_takes_the_fourth_field_as_a_duration(read):
    assert plain(read("r 1 10.1 0.2 a\n", "x.ctm")) == [("a", 10.1, 10.3)]


@pytest.mark.parametrize(
    "text, message",
    [
        pytest.param("r 1 0 1\n", r":1: 4 fields; a line of a CTM file has source", id="fields"),
        pytest.param(
            "r 1 0 -1 a\n", r":1: the duration -1 is negative; give start and duration$", id="negative"
        ),
        pytest.param("r 1 0 x a\n", r":1: the duration 'x' is no number; give seconds$", id="no number"),
        pytest.param("r 1 inf 1 a\n", r":1: the start 'inf' is not finite; give seconds$", id="infinite"),
        pytest.param(
            ";;\n\nr 1 * * <ALT_BEGIN>\n",
            r": the alternatives of r 1 do not end; write <ALT_END> behind them$",
            id="either",
        ),
        pytest.param(
            "r 1 0 1 a\nr 1 * * <ALT>\n",
            r":2: <ALT> does not belong here: <ALT_BEGIN>, <ALT>, <ALT_END>$",
            id="or",
        ),
        pytest.param(
            "r 1 0 1 a\nr 1 0 1 a\n",
            r":2: the word 'a' from 0.0 to 1.0 is there twice; remove one$",
            id="twice",
        ),
        pytest.param(";; nothing\n", r": there are no words here; give a file with source", id="comments"),
        pytest.param(
            "r 1 0 1 a\nr 1 0.5 1 b\n", r":2: the word 'b' starts at 0.5 before 'a' ends at 1.0", id="overlap"
        ),
    ],
)
def test_ctm_refuses(read, text, message):
    with pytest.raises(TreeFormatError, match=r"^x\.ctm" + message):
        read(text, "x.ctm")


# --------------------------------------------------------------------------------------- Whisper


def test_whisper_leading_spaces_and_zero_length():
    transcript = read_words(SPEECH / "whisper.json")
    assert plain(transcript) == [
        ("So,", 0.5, 0.72),
        ("um,", 0.8, 1.1),
        ("I", 1.3, 1.38),
        ("can't", 1.38, 1.75),
        ("wait.", 1.75, 2.2),
    ]
    assert [word.text for word in transcript.words if word.estimated] == ["can't"]


def test_whisper_missing_times_stay_in_their_segments():
    transcript = read_words(SPEECH / "whisperx.json")
    assert [word for word in transcript.words if word.estimated] == [
        TimedWord("12", 0.8, 1.4, True),
        TimedWord("8", 3.0, 3.5, True),
        TimedWord("8", 3.5, 4.0, True),
        TimedWord("2016.", 5.5, 6.5, True),
    ]
    assert (transcript.n_estimated, len(transcript.words)) == (4, 7)


def test_whisper_speakers():
    first = read_words(SPEECH / "whisperx.json", speaker="SPEAKER_00")
    assert [word.text for word in first.words] == ["Gate", "12", "please."]
    assert [word.text for word in read_words(SPEECH / "whisperx.json", speaker="SPEAKER_01").words] == [
        "In",
        "2016.",
    ]
    message = r"there is no speaker 'x'; choose with speaker= from 'SPEAKER_00', 'SPEAKER_01'$"
    with pytest.raises(TreeFormatError, match=message):
        read_words(SPEECH / "whisperx.json", speaker="x")
    with pytest.raises(TreeFormatError, match=r"nothing here tells who speaks; leave out speaker='x'$"):
        read_words(SPEECH / "whisper.json", speaker="x")


@pytest.mark.parametrize(
    "name, message",
    [
        (
            "whisper.json",
            r"segments\[1\].words\[1\]: the word \"can't\" has zero length; give it times, or use missing=",
        ),
        (
            "whisperx.json",
            r"segments\[0\].words\[1\]: the word '12' has no times; give it times, or use missing=",
        ),
        (
            "transformers.json",
            r"chunks\[2\]: the word 'wait.' has only one time; give it times, or use missing=",
        ),
    ],
)
def test_whisper_missing_times_as_errors(name, message):
    with pytest.raises(TreeFormatError, match=message):
        read_words(SPEECH / name, missing="error")


def test_whisper_of_transformers():
    """The last word has no end: it gets the pace of the others, whose median is 0.095 s a character."""
    assert plain(read_words(SPEECH / "transformers.json")) == [
        ("So", 0.5, 0.72),
        ("I", 1.3, 1.38),
        ("wait.", 1.75, pytest.approx(1.75 + 5 * 0.095)),
    ]


WORD = {"word": " yes", "start": 0.5, "end": 1.0}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"segments": [{"words": [WORD]}]}, id="without times of segments"),
        pytest.param({"segments": [{"text": " yes"}], "words": [{**WORD, "word": "yes"}]}, id="OpenAI's API"),
        pytest.param({"word_segments": [WORD]}, id="word segments"),
        pytest.param(
            {"segments": [{"words": [{"text": "yes", "start": 0.5, "end": 1.0}]}]}, id="whisper-timestamped"
        ),
        pytest.param([{"start": 0, "end": 2, "words": [WORD]}], id="segments alone"),
        pytest.param({"segments": [{"words": [WORD]}, {"text": " ", "words": []}]}, id="a silent segment"),
        pytest.param({"segments": [{"words": [WORD, {"word": " "}]}]}, id="a blank word"),
    ],
)
def test_whisper_kin(read, value):
    assert plain(read(value, "x.json", format="whisper")) == [("yes", 0.5, 1.0)]
    assert plain(read(value, "x.json")) == [("yes", 0.5, 1.0)]


@pytest.mark.parametrize(
    "value, message",
    [
        pytest.param(
            {"text": " yes", "segments": [{"start": 0, "end": 1, "text": " yes"}]},
            r"the segments have no words; run Whisper with word times \(--word_timestamps True\)$",
            id="no word times",
        ),
        pytest.param(
            {"text": "", "segments": []}, "there are no words here; the recording may be silent$", id="silent"
        ),
        pytest.param(
            {"text": ""}, r'there are no "segments" or "words": this is no JSON of Whisper', id="other"
        ),
        pytest.param(1, r'there are no "segments" or "words": this is no JSON of Whisper', id="number"),
        pytest.param(
            {"segments": [{"words": [1]}]},
            r"segments\[0\].words\[0\]: a word is an object such as",
            id="no word",
        ),
        pytest.param(
            {"segments": [{"words": [WORD]}, 1]},
            r"segments\[1\]: a segment is an object with words$",
            id="segment",
        ),
        pytest.param({"segments": [{"words": 1}]}, r"segments\[0\]: the words are no list$", id="no list"),
        pytest.param(
            {"chunks": [{"text": "a", "timestamp": 1}]}, r"chunks\[0\]: a timestamp is a list", id="timestamp"
        ),
        pytest.param(
            {"segments": [{"words": [{**WORD, "end": float("nan")}]}]},
            r"segments\[0\].words\[0\]: the end nan is not finite",
            id="NaN",
        ),
        pytest.param(
            {"segments": [{"words": [WORD, {"word": "b", "start": 0.6, "end": 2}]}]},
            r"segments\[0\].words\[1\]: the word 'b' starts at 0.6 before 'yes' ends at 1.0; words",
            id="overlap",
        ),
    ],
)
def test_whisper_refuses(read, value, message):
    with pytest.raises(TreeFormatError, match=r"^x\.json: " + message):
        read(value, "x.json", format="whisper")


# ------------------------------------------------------------------------------------------- NXT


def test_nxt_switchboard():
    """`ca n't` has one time in the recording, cut as 2 to 3 characters; `café` has none."""
    transcript = read_words(SPEECH / "switchboard.A.terminals.xml")
    assert plain(transcript) == [
        ("So", 0.5, 0.72),
        ("um", 0.8, 1.1),
        ("I", 1.3, 1.38),
        ("ca", 1.38, pytest.approx(1.528)),
        ("n't", pytest.approx(1.528), 1.75),
        ("café", 1.75, 2.35),
        ("wait", 2.35, 2.6),
    ]
    assert [word.estimated for word in transcript.words] == [False] * 3 + [True] * 3 + [False]
    assert (transcript.n_silences, transcript.n_marks) == (1, 3)


def test_nxt_ami():
    transcript = read_words(SPEECH / "ami.words.xml")
    assert (plain(transcript), transcript.n_marks) == ([("So", 0.5, 0.72), ("wait", 1.75, 2.2)], 2)


BOMB = """<?xml version="1.0"?>
<!DOCTYPE root [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>
<root><word orth="&c;" start="0" end="1"/></root>
"""


@pytest.mark.parametrize(
    "text, message",
    [
        pytest.param(
            BOMB, r":2: entities of a document type \(<!ENTITY\) are not read; remove", id="entities"
        ),
        pytest.param(
            '<!DOCTYPE r SYSTEM "file:///etc/passwd">\n<r><word orth="&x;"/></r>',
            r":1: entities of a document type",
            id="outside entity",
        ),
        pytest.param(
            '<r>\n<word orth="&x;"/></r>', r":2:1: this is not XML: undefined entity", id="undefined entity"
        ),
        pytest.param("<r>\n<word", r":2:1: this is not XML: unclosed token", id="cut off"),
        pytest.param(
            "<r><a/><b/></r>",
            r": there are no elements <word> here, only r, a, b; give a file of",
            id="no words",
        ),
        pytest.param(
            '<r>\n<word orth="a" start="x" end="1"/></r>', r":2: the start 'x' is no number", id="no number"
        ),
        pytest.param(
            '<r>\n<word orth="a" start="3" end="1"/></r>',
            r":2: the word 'a' ends at 1.0 before",
            id="reversed",
        ),
        pytest.param(
            '<?xml version="1.0" encoding="klingon"?><r/>',
            r": this XML cannot be read \(unknown encoding: klingon\); convert",
            id="encoding",
        ),
        pytest.param(
            '<?xml version="1.0" encoding="shift_jis"?><r/>',
            r": this XML cannot be read \(multi-byte encodings are not supported\); convert it to UTF-8$",
            id="multi-byte",
        ),
        pytest.param("<nite:root/>", r":1:1: this is not XML: unbound prefix", id="prefix"),
    ],
)
def test_nxt_refuses(read, text, message):
    with pytest.raises(TreeFormatError, match=r"^x\.xml" + message):
        read(text, "x.xml")


def test_nxt_has_a_file_for_each_speaker():
    with pytest.raises(
        TreeFormatError, match=r"there are no speakers in this format; leave out speaker='A'$"
    ):
        read_words(SPEECH / "ami.words.xml", speaker="A")


def test_nxt_deep_nesting(read):
    text = "<a>" * 50_000 + '<word orth="a" start="0" end="1"/>' + "</a>" * 50_000
    assert plain(read(text, "x.xml")) == [("a", 0.0, 1.0)]


# ----------------------------------------------------------------------------------------- plain


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("word\tstart\tend\na\t0.5\t1\nb\t1\t2\n", id="named"),
        pytest.param("a\t0.5\t1\nb\t1\t2\n", id="word first"),
        pytest.param("0.5\t1\ta\n1\t2\tb\n", id="word last"),
        pytest.param("a 0.5 1\n\nb  1  2\n", id="blanks"),
        pytest.param("start,end,word\n0.5,1,a\n1,2,b\n", id="commas"),
        pytest.param('0.5,1,"a"\n1,2,b\n', id="commas without names"),
        pytest.param(
            "Onset\tDuration\tText\tscore\n0.5\t0.5\ta\t9\n1\t1\tb\t8\n", id="duration and more columns"
        ),
        pytest.param("b\t1\t2\na\t0.5\t1\n", id="not sorted"),
        pytest.param("speaker\tlabel\tbegin\tstop\nX\ta\t0.5\t1\nX\tb\t1\t2\n", id="one speaker"),
    ],
)
def test_tsv_orders(read, text):
    assert plain(read(text, "x.txt", format="tsv")) == [("a", 0.5, 1.0), ("b", 1.0, 2.0)]


def test_tsv_numerals_do_not_hide_the_order(read):
    assert plain(read("7\t0.5\t1\nb\t1\t2\n", "x.tsv")) == [("7", 0.5, 1.0), ("b", 1.0, 2.0)]
    assert plain(read("0.5\t1\t7\n1\t2\tb\n", "x.tsv")) == [("7", 0.5, 1.0), ("b", 1.0, 2.0)]
    with pytest.raises(
        TreeFormatError, match=r"^x\.tsv: all cells are numbers; name the columns in the first line"
    ):
        read("7\t0.5\t1\n8\t1\t2\n", "x.tsv")


def test_tsv_quotes_are_words(read):
    assert plain(read('word\tstart\tend\n"\t0\t1\n,\t1\t2\n', "x.tsv")) == [('"', 0.0, 1.0), (",", 1.0, 2.0)]


def test_tsv_missing_times(read):
    transcript = read("a\t0\t1\nb\tn/a\tNA\nc\t\t\nd\t2\t3\n", "x.tsv")
    assert [word.text for word in transcript.words if word.estimated] == ["b", "c"]


def test_tsv_speakers(read):
    text = "speaker\tword\tstart\tend\nX\ta\t0\t1\nY\tb\t0.5\t2\n"
    transcript = read(text, "x.tsv", speaker="Y")
    assert (plain(transcript), transcript.title) == ([("b", 0.5, 2.0)], "x.tsv (Y)")
    with pytest.raises(
        TreeFormatError, match=r"^x\.tsv: there are several speakers; choose with speaker= from 'X', 'Y'$"
    ):
        read(text, "x.tsv")


@pytest.mark.parametrize(
    "text, message",
    [
        pytest.param("a\t0\t1\nb\t1\n", r":2: 2 cells, but 3 columns$", id="cells"),
        pytest.param(
            "a\t0\t1\tx\n", r":1: 4 cells; name the columns in the first line, such as word", id="four"
        ),
        pytest.param(
            "what\tfrom\tto\na\t0\t1\n",
            r":1: the columns 'what', 'from', 'to' are no word, start",
            id="names",
        ),
        pytest.param(
            "word\ttext\tstart\tend\n",
            r":1: two columns are a word; rename one of word, text",
            id="two words",
        ),
        pytest.param(
            "word\tstart\tend\n", r": there are no words here; give word, start and end", id="names alone"
        ),
        pytest.param(
            "a\t0\t1\nb\tc\td\n",
            r":2: there are no two times here; a line is word, start, end$",
            id="no times",
        ),
        pytest.param(
            "a\t0\t1\n1\t2\tb\n", r":2: the columns change places; name them in the first line", id="change"
        ),
        pytest.param('a,0,1\n"b,1,2\n', r":2: this is not CSV: ", id="quote"),
    ],
)
def test_tsv_refuses(read, text, message):
    with pytest.raises(TreeFormatError, match=r"^x\.tsv" + message):
        read(text, "x.tsv")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([["a", 0.5, 1], ["b", 1, 2]], id="word first"),
        pytest.param([[0.5, 1, "a"], [1, 2, "b"]], id="word last"),
        pytest.param(
            [{"text": "a", "begin": 0.5, "stop": 1}, {"Word": "b", "start": "1", "dur": 1}], id="objects"
        ),
        pytest.param({"words": [["a", 0.5, 1], ["b", 1, 2]]}, id="inside an object"),
        pytest.param(
            [{"word": "a", "text": "x", "start": 0.5, "end": 1}, ["b", 1, 2]], id="first name counts"
        ),
        pytest.param([["b", 1, 2], ["a", 0.5, 1]], id="not sorted"),
    ],
)
def test_json_shapes(read, value):
    assert plain(read(value, "x.json", format="json")) == [("a", 0.5, 1.0), ("b", 1.0, 2.0)]


def test_json_speakers(read):
    value = [
        {"word": "a", "start": 0, "end": 1, "speaker": 1},
        {"word": "b", "start": 0, "end": 1, "speaker": 2},
    ]
    assert plain(read(value, "x.json", speaker="2")) == [("b", 0.0, 1.0)]
    with pytest.raises(
        TreeFormatError, match=r"there are several speakers; choose with speaker= from '1', '2'$"
    ):
        read(value, "x.json")


@pytest.mark.parametrize(
    "value, message",
    [
        pytest.param([], r": there are no words here", id="empty"),
        pytest.param(
            {}, r": this is no list of words; give \[word, start, end\] for each word$", id="object"
        ),
        pytest.param(
            ["a"], r": \[0\]: this is no word; give \[word, start, end\] with numbers of seconds$", id="text"
        ),
        pytest.param([["a", 0]], r": \[0\]: this is no word", id="pair"),
        pytest.param([[7, 0, 1]], r": \[0\]: this is no word", id="number as a word"),
        pytest.param([["0", "1", "a"]], r": \[0\]: this is no word", id="texts"),
        pytest.param(
            [{"start": 0, "end": 1}],
            r": \[0\]: there is no word; give an object with word, start",
            id="no word",
        ),
        pytest.param(
            [["a", 0, [1]]], r": \[0\]: the end \[1\] is no number; give seconds$", id="list as a time"
        ),
        pytest.param('[["a", 0, 1],]', r":1:14: this is not JSON", id="comma"),
    ],
)
def test_json_refuses(read, value, message):
    with pytest.raises(TreeFormatError, match=r"^x\.json" + message):
        read(value, "x.json", format="json")

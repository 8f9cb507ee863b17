"""Marks: where utterances are, in every format, and which of them are those of a recording."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from structiou_metric import TreeFormatError
from structiou_metric.speech.marks import MARKS, Mark, guess_marks, read_marks
from structiou_metric.speech.readers.documents import Document
from support.examples import examples

pytestmark = pytest.mark.usefixtures("folder")

TABLE = "0.5 2.25 so um\n2.5\t3\n"
SEGMENTS = "talk-0001 talk 0.5 2.25\nother-0001 other 0 9\ntalk-0002 talk 2.5 3\n"
STM = """;; made by hand
;; CATEGORY "0" "" ""
talk A anna 0.5 2.25 <o,f0,female> so um
talk A inter_segment_gap 2.25 2.3 <o,,>
talk A excluded_region 2.3 2.4 <o,,> IGNORE_TIME_SEGMENT_IN_SCORING
other 1 carl 0 9 no
talk B ben 2.5 3 yes
"""
RTTM = """;; made by hand
SPKR-INFO talk 1 <NA> <NA> <NA> unknown anna <NA> <NA>
SPEAKER talk 1 0.5 1.75 <NA> <NA> anna <NA> <NA>
SPEAKER other 1 0 9 <NA> <NA> carl <NA> <NA>
NON-SPEECH talk 1 2.25 0.25 <NA> noise <NA> <NA> <NA>
SPEAKER talk 2 2.5 0.5 <NA> <NA> ben <NA> <NA>
"""
TEXTGRID = (
    'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n3\n<exists>\n2\n'
    '"IntervalTier"\n"words"\n0\n3\n0\n'
    '"IntervalTier"\n"{}"\n0\n3\n4\n0\n0.5\n""\n0.5\n2.25\n"so um"\n2.25\n2.5\n"sil"\n2.5\n3\n"yes"\n'
)
EAF = """<?xml version="1.0"?>
<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="1" TIME_VALUE="500"/>
<TIME_SLOT TIME_SLOT_ID="2" TIME_VALUE="2250"/><TIME_SLOT TIME_SLOT_ID="3" TIME_VALUE="2500"/>
<TIME_SLOT TIME_SLOT_ID="4" TIME_VALUE="3000"/></TIME_ORDER><TIER TIER_ID="Anna">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a" TIME_SLOT_REF1="3" TIME_SLOT_REF2="4">
<ANNOTATION_VALUE>yes</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="b" TIME_SLOT_REF1="1" TIME_SLOT_REF2="2">
<ANNOTATION_VALUE>so um</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
</TIER></ANNOTATION_DOCUMENT>
"""
SAMPLES = {
    "table": TABLE,
    "segments": SEGMENTS,
    "stm": STM,
    "rttm": RTTM,
    "textgrid": TEXTGRID.format("utterances"),
    "eaf": EAF,
}


@pytest.fixture
def marks(folder):
    def read(text, name="marks", **options):
        (folder / name).write_text(text, "utf-8")
        return read_marks(name, **options)

    return read


def times(found):
    return [(mark.start, mark.end) for mark in found]


@pytest.mark.parametrize("format", MARKS)
def test_marks_of_every_format(marks, format):
    found = marks(SAMPLES[format], recording="corpus/talk.wav")
    assert times(found) == [(0.5, 2.25), (2.5, 3.0)]
    assert marks(SAMPLES[format], recording="talk", format=format) == found
    assert all(mark.recording in ("", "talk") for mark in found)


@pytest.mark.parametrize("format", MARKS)
@pytest.mark.parametrize("name", ["x", "x.txt", "segments-of-talk"])
def test_guess_needs_no_name(format, name):
    assert guess_marks(Document(SAMPLES[format].encode(), name)) == format


@pytest.mark.parametrize(
    "name, want",
    [("segments", "segments"), ("x.STM", "stm"), ("x.rttm.gz", "rttm"), ("x.TextGrid", "textgrid")],
)
def test_guess_by_name(name, want):
    assert guess_marks(Document(b"1 2 3 4\n", name)) == want


def test_marks_tell_what_the_file_does(marks):
    assert marks(STM, recording="talk") == [
        Mark(0.5, 2.25, "talk", "A", "anna", "so um", 3),
        Mark(2.5, 3.0, "talk", "B", "ben", "yes", 7),
    ]
    assert marks(TEXTGRID.format("utterances"))[0].text == "so um"


@pytest.mark.parametrize("text", [STM, RTTM])
def test_marks_of_a_channel_or_a_speaker(marks, text):
    assert times(marks(text, recording="talk", channel=2)) == [(2.5, 3.0)]
    assert times(marks(text, recording="talk", speaker="anna")) == [(0.5, 2.25)]
    with pytest.raises(
        TreeFormatError, match=r"^marks: nothing is said in channel 3, only in '\w', '\w'; give another"
    ):
        marks(text, recording="talk", channel=3)
    with pytest.raises(
        TreeFormatError, match=r"^marks: there is no speaker 'x'; choose with speaker= from 'anna', 'ben'$"
    ):
        marks(text, recording="talk", speaker="x")


@pytest.mark.parametrize("format", ["segments", "stm", "rttm"])
def test_marks_of_several_recordings(marks, format):
    with pytest.raises(
        TreeFormatError, match=r"^marks: there are several recordings; choose with recording= from 'talk', "
    ):
        marks(SAMPLES[format])
    with pytest.raises(
        TreeFormatError, match=r"^marks: there is no recording 'x'; choose with recording= from 'talk', "
    ):
        marks(SAMPLES[format], recording="x.flac")


def test_segments_to_the_end_and_with_channels(marks):
    found = marks("a a 0.5 -1 1\nb a 2.5 3 2\n")
    assert times(found) == [(0.5, None), (2.5, 3.0)]
    assert times(marks("a a 0.5 -1 1\nb a 2.5 3 2\n", channel=2)) == [(2.5, 3.0)]


@pytest.mark.parametrize("name", ["Utterances", "Anna - sentence", "turns"])
def test_tiers_of_utterances(marks, name):
    assert times(marks(TEXTGRID.format(name))) == [(0.5, 2.25), (2.5, 3.0)]
    assert times(marks(TEXTGRID.format(name), tier=name)) == [(0.5, 2.25), (2.5, 3.0)]


@pytest.mark.parametrize(
    "text, options, message",
    [
        pytest.param("", {}, ": the file is empty", id="empty"),
        pytest.param(";; nothing\n", {"format": "stm"}, ": there are no utterances here", id="comments"),
        pytest.param(
            "0 1\n\n2 3\n", {}, ":2: '' is not a start and a later end in seconds; write such as", id="blank"
        ),
        pytest.param("0 1\n3 2\n", {}, ":2: '3 2' is not a start and a later end", id="reversed"),
        pytest.param("0 1\n1 1e999\n", {}, ":2: '1 inf' is not a start", id="infinite"),
        pytest.param("so um\n", {}, ":1: 'so um' is not a start and a later end", id="text"),
        pytest.param(
            "u a 0\n", {"format": "segments"}, ":1: 3 fields; a line of segments has utterance", id="segments"
        ),
        pytest.param("u a x 1\n", {"format": "segments"}, ":1: 'x' is no number of seconds", id="number"),
        pytest.param("u a 2 1\n", {}, ":1: '2 1' is not a start and a later end", id="reversed segments"),
        pytest.param(
            "a 1 s 0\n", {"format": "stm"}, ":1: 4 fields; a line of STM has recording, channel", id="stm"
        ),
        pytest.param("SPEAKER a 1 0 1\n", {}, ":1: 5 fields; a turn of RTTM has SPEAKER", id="rttm"),
        pytest.param("SPEAKER a 1 0 -1 <NA> <NA> s\n", {}, ":1: '0 -1' is not a start", id="negative"),
        pytest.param(
            RTTM + "SPOKEN a 1\n",
            {},
            ":7: 'SPOKEN' is no type of RTTM; a turn begins with SPEAKER",
            id="type",
        ),
        pytest.param(
            TEXTGRID.format("x"),
            {},
            ": there is no tier of utterances; choose with tier= .* from 'words', 'x'",
            id="tier",
        ),
        pytest.param(
            TABLE, {"tier": "x"}, ": there are no tiers in this format; leave out tier='x'", id="no tiers"
        ),
        pytest.param(
            TABLE,
            {"speaker": "x"},
            ": there are no speakers in this format; leave out speaker='x'",
            id="no speakers",
        ),
        pytest.param(
            EAF.replace(' TIME_VALUE="2500"', ""),
            {},
            ":5: the utterance 'yes' has no times; give it some",
            id="slot",
        ),
    ],
)
def test_marks_errors(marks, text, options, message):
    with pytest.raises(TreeFormatError, match=f"^marks{message}"):
        marks(text, **options)


def test_marks_of_an_unknown_format(marks):
    with pytest.raises(
        ValueError,
        match=r"^unknown format of marks 'ctm'; choose from table, segments, stm, rttm, textgrid, eaf$",
    ):
        marks(TABLE, format="ctm")


@pytest.mark.parametrize("format", [None, *MARKS])
@examples(40, HealthCheck.function_scoped_fixture)
@given(
    content=st.one_of(
        st.binary(max_size=80),
        st.lists(
            st.sampled_from([*"0123456789.-e \n\t", "SPEAKER ", "talk ", "<", '"', ";;"]), max_size=40
        ).map(lambda parts: "".join(parts).encode()),
    )
)
def test_any_bytes_are_marks_or_an_error(format, content, folder):
    (folder / "x").write_bytes(content)
    try:
        found = read_marks("x", format=format)
    except TreeFormatError as error:
        message = str(error)
    else:
        assert found
        assert all(mark.start >= 0 and (mark.end is None or mark.end > mark.start) for mark in found)
        return
    assert message.startswith("x:")

"""Readers of word times: what all of them do, whatever the format."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
from types import SimpleNamespace

import pytest

from structiou_metric import TreeFormatError
from structiou_metric.speech import FILLERS, FORMATS, SILENCES, TimedWord, Transcript, read_words
from structiou_metric.speech.readers import reading as readers

pytestmark = pytest.mark.usefixtures("folder")


def table(*rows):
    return "word\tstart\tend\n" + "".join(f"{word}\t{start}\t{end}\n" for word, start, end in rows)


def plain(transcript):
    return [(word.text, word.start, word.end) for word in transcript.words]


# ------------------------------------------------------------------------------------- the room


# ------------------------------------------------------------------------------------ silences


def test_silences_are_left_out_and_counted(read):
    text = table(
        ("sp", 0, 1),
        ("SIL", 1, 2),
        ("", 2, 3),
        ("<EPS>", 3, 4),
        ("yes", 4, 5),
        ("<p:>", 5, 6),
        ("[SIL]", 6, 7),
    )
    transcript = read(text)
    assert plain(transcript) == [("yes", 4.0, 5.0)]
    assert transcript.n_silences == 6


@pytest.mark.parametrize("label", SILENCES)
def test_silences_every_label_of_the_list(read, label):
    transcript = read(json.dumps([[label, 0, 1], ["yes", 1, 2], [label.upper(), 2, 3]]), "x.json")
    assert (len(transcript.words), transcript.n_silences) == (1, 2)


def test_silences_of_ones_own_replace_the_list_but_for_blanks(read):
    text = table(("sil", 0, 1), ("", 1, 2), ("[Laughter]", 2, 3))
    transcript = read(text, silences=["[laughter]"])
    assert (plain(transcript), transcript.n_silences) == ([("sil", 0.0, 1.0)], 2)


def test_silences_need_no_good_times(read):
    assert len(read(table(("a", 0, 1), ("sil", 5, 0.5), ("b", 1, 2))).words) == 2


def test_silences_alone_are_an_error(read):
    with pytest.raises(
        TreeFormatError, match=r"^x\.tsv: there are no words here, only 2 silences; give another"
    ):
        read(table(("sil", 0, 1), ("", 1, 2)))


def test_silence_is_a_word_unless_it_alone_marks_what_is_silent(read):
    tier = {"type": "interval", "entries": [[0, 1, "silence"], [1, 2, "yes"], [2, 3, "Silence"]]}
    transcript = read({"tiers": {"words": tier}}, "x.json")
    assert (plain(transcript), transcript.n_silences) == ([("yes", 1.0, 2.0)], 2)
    tier["entries"].append([3, 4, ""])
    transcript = read({"tiers": {"words": tier}}, "x.json")
    assert ([word.text for word in transcript.words], transcript.n_silences) == (
        ["silence", "yes", "Silence"],
        1,
    )
    assert (
        len(read(table(("silence", 0, 1), ("please", 1, 2))).words) == 2
    )  # nothing is silent in a list of words


def test_silences_among_the_words_of_a_label_are_left_out_and_counted(read):
    transcript = read(table(("[Music] so [laughter] yes", 0, 1), ("moment of silence", 1, 2), ("sil", 2, 3)))
    assert [word.text for word in transcript.words] == ["so", "yes", "moment", "of", "silence"]
    assert transcript.n_silences == 3


# ------------------------------------------------------------------------------- labels of several words


@pytest.mark.parametrize(
    "label, want",
    [
        pytest.param(
            "Sri Lanka", [("Sri", 2.0, 2.375), ("Lanka", 2.375, 3.0)], id="two words by their characters"
        ),
        pytest.param("a\nNN", [("a", 2.0, 2 + 1 / 3), ("NN", 2 + 1 / 3, 3.0)], id="over two lines"),
        pytest.param("5 %", [("5", 2.0, 2.5), ("%", 2.5, 3.0)], id="a sign that is said"),
    ],
)
def test_labels_of_several_words_share_their_time(read, label, want):
    transcript = read([["a", 0, 1], [label, 2, 3], ["b", 9, 9.5]], "x.json")
    assert plain(transcript)[1:-1] == [
        (text, pytest.approx(start), pytest.approx(end)) for text, start, end in want
    ]
    assert [word.estimated for word in transcript.words] == [False, *[True] * len(want), False]


@pytest.mark.parametrize(
    "label, want",
    [
        ("Bonjour !", "Bonjour!"),
        ("« Oui »", "«Oui»"),
        ("( so )", "(so)"),
        ("¿ - no ?", "¿-no?"),
        ("- -", "--"),
        (" yes ", "yes"),
    ],
)
def test_labels_of_a_word_and_its_punctuation_are_one_word(read, label, want):
    assert read([[label, 2, 3]], "x.json").words == [TimedWord(want, 2.0, 3.0, False)]
    assert len(read([[label, 2, 3]], "x.json", missing="error").words) == 1


def test_labels_of_several_words_may_be_an_error(read):
    message = (
        r"^x\.tsv:2: the label 'a b' is more than one word; choose a tier of words, split it, or use missing="
    )
    with pytest.raises(TreeFormatError, match=message):
        read(table(("a b", 1, 2)), missing="error")


def test_labels_of_several_words_without_times_share_what_is_between_others(read):
    transcript = read([["a", 0, 1], ["b cd", None, None], ["e", 2.5, 3]], "x.json")
    assert plain(transcript)[1:3] == [("b", 1.0, 1.5), ("cd", 1.5, 2.5)]


# ------------------------------------------------------------------------------------- fillers


def test_fillers_are_kept_unless_they_are_to_be_dropped(read):
    text = table(("so", 0, 1), ("Um,", 1, 2), ("%HESITATION", 2, 3), ("hm", 3, 4), ("umbrella", 4, 5))
    assert (len(read(text).words), read(text).n_fillers) == (5, 0)
    transcript = read(text, fillers="drop")
    assert [word.text for word in transcript.words] == ["so", "umbrella"]
    assert transcript.n_fillers == 3


def test_fillers_of_ones_own(read):
    text = table(("like", 0, 1), ("um", 1, 2), ("...", 2, 3))
    assert [word.text for word in read(text, fillers=["Like"]).words] == ["um", "..."]
    assert len(read(text, fillers=FILLERS).words) == 2


def test_fillers_that_are_dropped_keep_their_time(read):
    """What is said between two words cannot be given to a word without times."""
    text = json.dumps([["a", 0, 1], ["um", 1, 2], ["b", None, None], ["c", 3, 4]])
    assert plain(read(text, "x.json", fillers="drop"))[1] == ("b", 2.0, 2.5)


# ------------------------------------------------------------------------------- missing times


@pytest.mark.parametrize(
    "rows, want",
    [
        pytest.param(
            [["a", 0, 1], ["b", None, None], ["c", 1.4, 2]], [("b", 1.0, 1.4)], id="between neighbours"
        ),
        pytest.param(
            [["a", 0, 1], ["bb", None, None], ["c", None, None], ["d", 1.75, 2]],
            [("bb", 1.0, 1.5), ("c", 1.5, 1.75)],
            id="two share by characters",
        ),
        pytest.param(
            [["a", 0, 1], ["ca", 1, None], ["n't", None, 2.25], ["d", 3, 4]],
            [("ca", 1.0, 1.5), ("n't", 1.5, 2.25)],
            id="a known start and a known end",
        ),
        pytest.param([["a", 0, 1], ["b", None, None], ["c", 1, 2]], [("b", 1.0, 1.0)], id="no room"),
        pytest.param(
            [["a", 0, 1], ["bb", None, None], ["c", 60, 61]],
            [("bb", 1.0, 2.0)],
            id="a long gap: half a second each",
        ),
        pytest.param(
            [["a", 0, 1], ["bb", None, 50], ["c", 60, 61]], [("bb", 49.0, 50.0)], id="a long gap, end known"
        ),
        pytest.param(
            [["a", 0, 1], ["bb", 40, None], ["c", 60, 61]], [("bb", 40.0, 41.0)], id="a long gap, start known"
        ),
        pytest.param(
            [["aa", 4, 4.5], ["bbb", None, None]], [("bbb", 4.5, 5.25)], id="last: at the pace of the others"
        ),
        pytest.param(
            [["bbb", None, None], ["aa", 4, 4.5]], [("bbb", 3.25, 4.0)], id="first: at the pace of the others"
        ),
        pytest.param(
            [["bbb", None, None], ["aa", 0.25, 0.75]], [("bbb", 0.0, 0.25)], id="first: not before 0"
        ),
    ],
)
def test_missing_times_are_interpolated(read, rows, want):
    transcript = read(json.dumps(rows), "x.json")
    assert [word[:3] for word in transcript.words if word.estimated] == want
    assert transcript.n_estimated == len(want)
    assert len(transcript.words) == len(rows)


@pytest.mark.parametrize(
    "rows, message",
    [
        pytest.param(
            [["a", 0, 1], ["b", None, None]],
            r"\[1\]: the word 'b' has no times; give it times, or",
            id="none",
        ),
        pytest.param([["a", 0, 1], ["b", 1, None]], r"\[1\]: the word 'b' has only one time", id="one"),
    ],
)
def test_missing_times_may_be_an_error(read, rows, message):
    with pytest.raises(TreeFormatError, match="^x.json: " + message):
        read(json.dumps(rows), "x.json", missing="error")


def test_missing_times_everywhere_are_an_error(read):
    with pytest.raises(
        TreeFormatError, match=r"^x\.json: no word has times here; give a file with the times"
    ):
        read('[{"word": "a"}, {"word": "b"}]', "x.json")


def test_zero_length_words_stay(read):
    transcript = read(table(("a", 0, 1), ("b", 1.5, 1.5), ("c", 2, 3)))
    assert transcript.words[1] == TimedWord("b", 1.5, 1.5, False)


# -------------------------------------------------------------------------------------- checks


@pytest.mark.parametrize(
    "rows, message",
    [
        pytest.param([("a", "nan", 1)], r":2: the start 'nan' is not finite; give seconds$", id="NaN"),
        pytest.param([("a", 0, "inf")], r":2: the end 'inf' is not finite", id="infinite"),
        pytest.param([("a", 0, "1e999")], r":2: the end '1e999' is not finite", id="too large"),
        pytest.param([("a", 0, "one")], r":2: the end 'one' is no number; give seconds$", id="no number"),
        pytest.param([("a", 0, "1_0")], r":2: the end '1_0' is no number", id="underscore"),
        pytest.param(
            [("a", 0, 1), ("b", 2, 1.5)],
            r":3: the word 'b' ends at 1.5 before it starts at 2.0; swap",
            id="reversed",
        ),
        pytest.param(
            [("a", -1, 1)], r":2: the word 'a' starts at -1.0, before 0; times count from the", id="negative"
        ),
        pytest.param(
            [("a", 0, 1), ("b", 0.9, 2)],
            r":3: the word 'b' starts at 0.9 before 'a' ends at 1.0; words of one speaker must not overlap: "
            "choose one with speaker= if there are several, correct the times, or give "
            "overlap='clip', which ends a word where the next one starts$",
            id="overlap",
        ),
        pytest.param(
            [("a", 0, 9), ("b", 2, 3)], r":3: the word 'b' starts at 2.0 before 'a' ends at 9.0", id="inside"
        ),
        pytest.param(
            [("a", 1, 2), ("a", 1, 2)],
            r":3: the word 'a' from 1.0 to 2.0 is there twice; remove one$",
            id="twice",
        ),
        pytest.param(
            [("a", 0, 250), ("b", 300, 650)],
            r": half of the words take more than 300 seconds; give seconds, not",
            id="ms",
        ),
    ],
)
def test_checks_refuse_bad_times(read, rows, message):
    with pytest.raises(TreeFormatError, match=r"^x\.tsv" + message):
        read(table(*rows))


def test_checks_refuse_text_that_no_file_can_hold(read):
    with pytest.raises(TreeFormatError, match=r"^x\.json: \[0\]: the label .* is no valid Unicode$"):
        read('[["\\ud800", 0, 1]]', "x.json")


def test_checks_move_boundaries_within_the_tolerance(read):
    transcript = read(table(("a", -0.01, 1), ("b", 0.99, 1.5), ("c", 1.5, 1.49), ("d", 1.48, 2)))
    assert plain(transcript) == [("a", 0.0, 0.99), ("b", 0.99, 1.5), ("c", 1.5, 1.5), ("d", 1.5, 2.0)]
    assert transcript.n_moved == 4
    assert transcript.summary() == "x.tsv: 4 words; boundaries moved: 4"


def test_checks_do_not_count_what_floats_leave(read):
    transcript = read(table(("a", 0, 0.1 + 0.2), ("b", 0.3, 0.5)))
    assert (plain(transcript), transcript.n_moved) == ([("a", 0.0, 0.3), ("b", 0.3, 0.5)], 0)


def test_checks_give_no_negative_zero(read):
    assert str(read(table(("a", "-0", "-0.0"), ("b", 0, 1))).words[0].end) == "0.0"


def test_order_tables_are_sorted(read):
    transcript = read(table(("c", 2, 3), ("a", 0, 1), ("b", 1, 2)))
    assert [word.text for word in transcript.words] == ["a", "b", "c"]


def test_order_cannot_be_found_for_words_without_times(read):
    with pytest.raises(
        TreeFormatError, match=r"^x\.tsv:3: the word 'b' has no times, and others are not in order; sort"
    ):
        read(table(("c", 2, 3), ("b", "", ""), ("a", 0, 1)))


def test_order_is_promised_by_other_formats(read):
    message = r"^x\.ctm:2: the word 'b' at 1.0 comes after 'a' at 5.0; sort the words by time$"
    with pytest.raises(TreeFormatError, match=message):
        read("r 1 5 1 a\nr 1 1 1 b\n", "x.ctm")


# ---------------------------------------------------------------------------- options and files


@pytest.mark.parametrize(
    "options, message",
    [
        pytest.param(
            {"format": "elan"}, f"^unknown format 'elan'; choose from {', '.join(FORMATS)}$", id="format"
        ),
        pytest.param(
            {"missing": "drop"}, "^unknown missing 'drop'; choose from interpolate, error$", id="missing"
        ),
        pytest.param(
            {"fillers": "um"}, "^unknown fillers 'um'; choose from keep, drop, or give a list", id="fillers"
        ),
        pytest.param(
            {"silences": "sil"},
            r"^silences must be a list of labels, not the text 'sil'; write",
            id="silences",
        ),
        pytest.param({"silences": [1]}, r"^silences must be a list of labels, not \['', 1\]$", id="numbers"),
        pytest.param(
            {"tier": "words"},
            r"^x\.tsv: there are no tiers in this format; leave out tier='words'$",
            id="tier",
        ),
        pytest.param(
            {"speaker": "A"}, r"^x\.tsv: there are no speakers in this format; leave out", id="speaker"
        ),
    ],
)
def test_read_words_refuses_options(read, options, message):
    with pytest.raises(ValueError, match=message):
        read(table(("a", 0, 1)), **options)


@pytest.mark.parametrize(
    "name", ["x.vtt", "x.eaf", "x.ctm", "x.TextGrid", "x.json", "x.xml", "x.csv", "x.tsv", "x"]
)
@pytest.mark.parametrize("data", [b"", b" \n\n"], ids=["empty", "blank"])
def test_read_words_empty_file(read, name, data):
    with pytest.raises(
        TreeFormatError, match=f"^{re.escape(name)}: the file is empty; give a file with words and times$"
    ):
        read(data, name)


def test_read_words_gzip_and_standard_input(read, monkeypatch):
    data = gzip.compress(b"r 1 0.5 0.5 yes\n")
    assert plain(read(data, "x.ctm.gz")) == [("yes", 0.5, 1.0)]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    transcript = read_words("-")
    assert (plain(transcript), transcript.title) == ([("yes", 0.5, 1.0)], "<stdin>")


def test_read_words_missing_file(folder):
    with pytest.raises(FileNotFoundError, match="nothing-here"):
        read_words(folder / "nothing-here.ctm")


@pytest.mark.parametrize(
    "data, message",
    [
        pytest.param(
            "é\t0\t1".encode("latin-1"),
            r"^x:1: byte 0xe9 is not UTF-8 .*; give --words-encoding",
            id="Latin-1",
        ),
        pytest.param(
            "a\t0\t1".encode("utf-16-le"), r"^x:1: a NUL character \(UTF-16 without a mark\?\)", id="no mark"
        ),
        pytest.param(
            b"\xff\xfea", r"^x:1: this is not utf-16, as its first bytes say: trunc", id="half of a character"
        ),
    ],
)
def test_read_words_refuses_other_encodings(read, data, message):
    with pytest.raises(TreeFormatError, match=message):
        read(data, "x")


def test_read_words_of_a_given_encoding(read):
    data = "r 1 0.5 0.5 你好\n".encode("gb2312")
    assert plain(read(data, "x.ctm", encoding="gb2312")) == [("你好", 0.5, 1.0)]
    with pytest.raises(ValueError, match=r"^unknown encoding 'klingon'; choose one that Python knows"):
        read(data, "x.ctm", encoding="klingon")
    with pytest.raises(TreeFormatError, match=r"^x\.ctm:1: this is not ascii"):
        read(data, "x.ctm", encoding="ascii")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old mac"])
def test_read_words_encodings_and_line_ends(read, encoding, line_end):
    data = table(("שלום", 0, 1), ("é", 1, 2)).replace("\n", line_end).encode(encoding)
    assert plain(read(data)) == [("שלום", 0.0, 1.0), ("é", 1.0, 2.0)]


# ------------------------------------------------------------------------------- guessed formats


@pytest.mark.parametrize(
    "name, text, want",
    [
        pytest.param("x", "rec 1 0.5 0.5 yes 0.9\n", "ctm", id="ctm"),
        pytest.param("x", ";; made by\nrec 1 0.5 0.5 yes\n", "ctm", id="ctm with a comment"),
        pytest.param("x.txt", "yes 0.5 1\n", "tsv", id="blanks"),
        pytest.param("x.csv", "word,start,end\nyes,0.5,1\n", "tsv", id="commas"),
        pytest.param("x.csv", "Begin,End,Label,Type,Speaker\n0.5,1,yes,words,A\n", "mfa-csv", id="mfa csv"),
        pytest.param(
            "x",
            '{"tiers": {"words": {"type": "interval", "entries": [[0.5, 1, "yes"]]}}}',
            "mfa-json",
            id="mfa",
        ),
        pytest.param(
            "x.json",
            '{"segments": [{"words": [{"word": " yes", "start": 0.5, "end": 1}]}]}',
            "whisper",
            id="whisper",
        ),
        pytest.param(
            "x.json",
            '[{"words": [{"word": " yes", "start": 0.5, "end": 1}]}]',
            "whisper",
            id="segments alone",
        ),
        pytest.param("x", ' [["yes", 0.5, 1]]', "json", id="json"),
        pytest.param(
            "x", '<?xml version="1.0"?><r><word orth="yes" start="0.5" end="1"/></r>', "nxt", id="xml"
        ),
        pytest.param("x", "[SIL]\t0\t0.5\nyes\t0.5\t1\n", "tsv", id="a bracket that is no JSON"),
        pytest.param("x", "<sil>\t0\t0.5\nyes\t0.5\t1\n", "tsv", id="a mark that is no XML"),
    ],
)
def test_guess_format(read, name, text, want):
    assert plain(read(text, name)) == [("yes", 0.5, 1.0)]
    assert plain(read(text, name, format=want)) == [("yes", 0.5, 1.0)]
    assert readers.guess_format(readers.Document(text.encode("utf-16"), name)) == want


@pytest.mark.parametrize(
    "format, message",
    [
        ("textgrid", r'^x\.txt: this is no TextGrid: Object class = "TextGrid" is missing'),
        ("mfa-json", r"^x\.txt:1:1: this is not JSON"),
        ("mfa-csv", r"^x\.txt:1: there are no columns begin, end, label, type: a CSV of the Montreal"),
        ("ctm", r"^x\.txt:1: 3 fields; a line of a CTM file has source, channel, start, duration, word$"),
        ("whisper", r"^x\.txt:1:1: this is not JSON"),
        ("nxt", r"^x\.txt:1:1: this is not XML: syntax error"),
        ("json", r"^x\.txt:1:1: this is not JSON"),
    ],
)
def test_read_words_wrong_format(read, format, message):
    with pytest.raises(TreeFormatError, match=message):
        read("yes\t0.5\t1\n", "x.txt", format=format)


def test_guess_of_numbers_that_are_words(read):
    """A CTM file is not taken for STM, nor a table for segments."""
    assert plain(read("rec 1 0.5 0.5 7 0.9 lex x\n", "x")) == [("7", 0.5, 1.0)]
    with pytest.raises(TreeFormatError, match=r"^x:1: 4 cells; name the columns in the first line"):
        read("so 0.5 0.72 0.9\n", "x")


def test_read_words_too_deep(read):
    with pytest.raises(TreeFormatError, match=r"^x\.json: the JSON is nested too deeply$"):
        read("[" * 100_000, "x.json")
    with pytest.raises(TreeFormatError, match=r"^x\.json: the JSON is nested too deeply$"):
        read('{"result": []}\n' + "[" * 100_000, "x.json")


@pytest.mark.parametrize(
    "name, data, what",
    [
        pytest.param(
            "x.json",
            '{"speech": [], "b": 1}',
            r"JSON of no known kind, with the keys 'b', 'speech'",
            id="json",
        ),
        pytest.param("x.json", "{}", "JSON of no known kind", id="empty json"),
        pytest.param("x.json", "7", "JSON of no known kind", id="number"),
        pytest.param("x", b"RIFF\x24\0\0\0WAVEfmt ", "a wav file", id="wav"),
        pytest.param("x", b"fLaC\0\0\0\x22", "a FLAC file", id="flac"),
        pytest.param("x", b"NIST_1A\n   1024\n", "a SPHERE recording", id="sphere"),
        pytest.param("x", b"PK\x03\x04\x14\0", "a packed folder or an office document", id="zip"),
        pytest.param("x", "(S (NP (PRP I)))\n", "trees in brackets", id="trees"),
        pytest.param("x", "<?xml version='1.0'?><html><p/></html>", "HTML", id="html"),
        pytest.param(
            "x", "I asked a friend\n", "text without times, which begins with 'I asked a friend'", id="text"
        ),
        pytest.param(
            "x", "SPEAKER r 1 0.5 1.25 <NA> <NA> anna <NA> <NA>\n", "RTTM, turns of speakers", id="rttm"
        ),
        pytest.param(
            "x", "r 1 anna 0.5 1.25 <o,f0,female> so yes\n", "STM, utterances with their times", id="stm"
        ),
        pytest.param("x", "r-1 r 0.5 1.25\nr-2 r 2 3\n", "segments of Kaldi", id="segments"),
    ],
)
def test_read_words_names_what_it_does_not_know(read, name, data, what):
    hint = r"(?:align words with it \(--audio\), or |use it with a recording \(--audio, --marks\), or )?"
    message = (
        f"^{re.escape(name)}: this looks like {what}; {hint}give a file of words with times, or say which"
    )
    with pytest.raises(TreeFormatError, match=message) as caught:
        read(data, name)
    assert str(caught.value).endswith(", ".join(FORMATS))


def test_transcript_summary_lists_what_was_done():
    transcript = Transcript([TimedWord("a", 0, 1, True)], "x.ctm (A)", 1, 2, 3, 4, 1)
    assert transcript.summary() == (
        "x.ctm (A): 1 word; times estimated: 1; boundaries moved: 4; "
        "left out: 1 silence, 2 fillers, 3 marks without sound, 1 alternative"
    )

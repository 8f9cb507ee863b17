"""A sample of every format as programs write it: what it is taken for, its words, and what is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from structiou_metric import TreeFormatError
from structiou_metric.speech import FORMATS, TimedWord, read_words
from structiou_metric.speech.readers.documents import Document
from structiou_metric.speech.readers.formats import guess_format
from support.paths import SPEECH

WORDS = [("so", 0.5, 0.72), ("um", 0.8, 1.1), ("I", 1.3, 1.38), ("can't", 1.38, 1.75), ("wait", 1.75, 2.2)]

# Each sample, its format, what is to be chosen from it, and the counts of its summary; its words are WORDS.
SAMPLES = [
    ("whisper_cpp.json", "whisper-cpp", {}, ""),
    ("whisper.tsv", "whisper-tsv", {}, ""),
    ("words.srt", "srt", {}, ""),
    ("highlighted.srt", "srt", {}, ""),
    ("words.vtt", "vtt", {}, ""),
    ("aws.json", "aws", {}, "; left out: 2 marks without sound"),
    ("aws_channels.json", "aws", {"speaker": "ch_0"}, ""),
    ("google.json", "google", {}, "; left out: 1 alternative"),
    ("google_speakers.json", "google", {}, ""),
    ("ibm.json", "ibm", {}, "; left out: 1 alternative"),
    ("azure_batch.json", "azure", {}, "; left out: 1 alternative"),
    ("azure_fast.json", "azure", {}, ""),
    ("azure_sdk.json", "azure", {}, ""),
    ("deepgram.json", "deepgram", {}, ""),
    ("assemblyai.json", "assemblyai", {}, ""),
    ("vosk.json", "vosk", {}, ""),
    ("vosk_alternatives.json", "vosk", {}, "; left out: 1 alternative"),
    ("nemo_manifest.json", "nemo", {"speaker": "talk.wav"}, ""),
    ("nemo_diarized.json", "nemo", {}, ""),
    ("speechmatics.json", "speechmatics", {}, "; left out: 1 mark without sound"),
    ("speechmatics_v1.json", "speechmatics", {}, ""),
    ("rev.json", "rev", {}, "; left out: 3 marks without sound"),
    ("bbc_kaldi.json", "bbc-kaldi", {}, ""),
    ("aeneas.json", "aeneas", {}, ""),
    ("parakeet.json", "parakeet", {}, ""),
    ("gladia.json", "gladia", {}, ""),
    ("soniox.json", "soniox", {}, ""),
    ("seglst.json", "seglst", {}, ""),
    ("words.ass", "ass", {}, ""),
    ("pocketsphinx.json", "pocketsphinx", {}, "; left out: 2 silences"),
    ("words.eaf", "eaf", {}, ""),
    ("talk.cha", "chat", {"speaker": "PAR"}, "; left out: 1 silence, 2 marks without sound"),
    ("timit.WRD", "timit", {}, ""),
    ("buckeye.words", "buckeye", {}, "; left out: 4 silences"),
    ("sw9999A-ms98-a-word.text", "ms98", {}, "; left out: 3 silences"),
    ("words.lab", "htk", {}, "; left out: 1 silence"),
    ("aligned.mlf", "htk", {"speaker": "talk"}, "; left out: 1 silence"),
    ("talk.par", "partitur", {}, "; left out: 1 silence"),
    ("mfa.json", "mfa-json", {}, "; left out: 4 silences"),
    ("mfa.csv", "mfa-csv", {}, ""),
    ("one.ctm", "ctm", {}, "; boundaries moved: 1; left out: 1 silence"),
    ("words.tsv", "tsv", {}, ""),
    ("audacity.txt", "tsv", {}, "; left out: 1 silence"),
    ("words.json", "json", {}, ""),
]

# Samples whose words are others, which tests of their own look at.
OTHERS = {
    "gentle.json": "gentle",
    "youtube.vtt": "vtt",
    "voices.vtt": "vtt",
    "whisper.json": "whisper",
    "whisperx.json": "whisper",
    "whisper_timestamped.json": "whisper",
    "transformers.json": "whisper",
    "maus.TextGrid": "textgrid",
    "phones.TextGrid": "textgrid",
    "mfa_two.json": "mfa-json",
    "mfa_two.csv": "mfa-csv",
    "two.ctm": "ctm",
    "ami.words.xml": "nxt",
    "switchboard.A.terminals.xml": "nxt",
}
FORMAT_OF = {**OTHERS, **{name: format for name, format, _, _ in SAMPLES}}


def plain(transcript):
    return [(word.text, word.start, word.end) for word in transcript.words]


def guess(path, name=None):
    return guess_format(Document(path.read_bytes(), name or path.name))


@pytest.mark.parametrize("name, format, options, counts", SAMPLES, ids=[row[0] for row in SAMPLES])
def test_samples_are_read(name, format, options, counts):
    for given in ({}, {"format": format}):
        transcript = read_words(SPEECH / name, **options, **given)
        words = [
            (text.strip(",.").replace("i", "I") if text == "i" else text.strip(",."), *times)
            for text, *times in plain(transcript)
        ]
        assert words == WORDS
        assert transcript.summary() == f"{transcript.title}: 5 words{counts}"
        assert transcript.n_estimated == 0


def test_samples_are_there_for_every_format_and_all_are_listed():
    assert set(FORMAT_OF.values()) == set(FORMATS)
    assert set(FORMAT_OF) == {path.name for path in SPEECH.iterdir() if path.is_file()}


@pytest.mark.parametrize("name, format", FORMAT_OF.items(), ids=FORMAT_OF)
def test_guess_is_right_for_every_sample(name, format):
    assert guess(SPEECH / name) == format


NAMELESS = {"timit": "tsv", "htk": "tsv"}  # three numbers and a label say nothing of their unit


@pytest.mark.parametrize("name, format", FORMAT_OF.items(), ids=FORMAT_OF)
def test_guess_needs_no_name(name, format):
    want = format if name == "aligned.mlf" else NAMELESS.get(format, format)
    assert guess(SPEECH / name, "x") == want
    assert guess(SPEECH / name, "x.txt") == want


# ---------------------------------------------------------------------------------------- broken files

BROKEN = {
    "textgrid.TextGrid": r":17: this TextGrid cannot be read: it ends before the label of interval 2",
    "mfa-json.json": r": tier 'words', entries\[0\]: an entry is a list \[start, end, label\]",
    "mfa-csv.csv": ":2: 4 cells, but 5 columns",
    "ctm.ctm": ":2: the duration 'late' is no number; give seconds",
    "whisper.json": ": the segments have no words; run Whisper with word times",
    "whisper-cpp.json": r": transcription\[0\]: the offsets.from 'soon' is no number",
    "whisper-tsv.tsv": ":2: 2 cells, but 3 columns",
    "srt.srt": ":2: '00:00:00,500 --> 00:00:00.72x' is no start --> end such as",
    "vtt.vtt": ": there are no cues such as 00:00:01,000 --> 00:00:02,500 here",
    "aws.json": r": results.items\[0\]: there is no text of a word \(alternatives.0.content\)",
    "google.json": r": results\[0\].alternatives\[0\].words\[0\]: the endTime 'soon' is no number",
    "ibm.json": r": results\[0\].alternatives\[0\].timestamps\[1\]: this is no word with its times",
    "azure.json": r": recognizedPhrases\[0\].nBest\[0\].words\[0\]: the offsetInTicks 'many' is no number",
    "deepgram.json": ": there are no words here; the recording may be silent",
    "assemblyai.json": r": words\[0\]: the word 'so' ends at 0.4 before it starts at 0.5",
    "vosk.json": ":3: this is not JSON: Expecting value",
    "nemo.json": ": no word has times here; give a file with the times of words",
    "speechmatics.json": r": results\[0\]: there is no text of a word",
    "rev.json": r": monologues\[0\].elements\[0\]: the word 'so' starts at -3.0, before 0",
    "bbc-kaldi.json": r": retval.words\[0\]: the end True is no number",
    "pocketsphinx.json": r": w\[0\]: there is no text of a word \(t\)",
    "gentle.json": ": no word has times here; give a file with the times of words",
    "aeneas.json": r": fragments\[0\]: the begin 'soon' is no number",
    "parakeet.json": r": sentences\[0\].tokens\[0\]: there is no text of a word \(text\)",
    "gladia.json": r": result.transcription.utterances\[0\].words\[0\]: the start 'soon' is no number",
    "soniox.json": r": tokens\[0\]: the start_ms True is no number",
    "seglst.json": r": \[0\]: the start_time 'soon' is no number",
    "ass.ass": ":5: a dialogue line has a start, an end such as 0:00:01.50, and a text",
    "eaf.eaf": ":2: entities of a document type .* are not read; remove them",
    "chat.cha": ": nothing here has times; give a CHAT file with %wor lines, or with bullets",
    "timit.wrd": ":2: a line of a .wrd file has the first sample, the last one, and a word",
    "buckeye.words": ": there is no line with # that ends the header",
    "ms98.text": ":2: the word 'um' ends at 0.7 before it starts at 0.8",
    "htk.lab": ":1: there are no times here: a line of a label file has start, end and label",
    "partitur.par": ": there is no line SAM: with the samples a second",
    "nxt.xml": ":3:3: this is not XML: mismatched tag",
    "tsv.tsv": ":2: 2 cells, but 3 columns",
    "json.json": r": \[0\]: this is no word; give \[word, start, end\]",
}


@pytest.mark.parametrize("name, message", BROKEN.items(), ids=BROKEN)
def test_broken_samples_are_refused_with_the_place(name, message, monkeypatch):
    monkeypatch.chdir(SPEECH / "broken")
    with pytest.raises(TreeFormatError, match=f"^{name}{message}"):
        read_words(name, format=Path(name).stem)


def test_broken_samples_are_there_for_every_format():
    assert {Path(name).stem for name in BROKEN} == set(FORMATS)
    assert set(BROKEN) == {path.name for path in (SPEECH / "broken").iterdir()}


# ------------------------------------------------------------------------------------- speakers and more


@pytest.mark.parametrize(
    "name, speaker",
    [
        ("aws.json", "spk_0"),
        ("google_speakers.json", "1"),
        ("ibm.json", "0"),
        ("azure_batch.json", "1"),
        ("deepgram.json", "0"),
        ("assemblyai.json", "A"),
        ("nemo_diarized.json", "speaker_0"),
        ("speechmatics.json", "S1"),
        ("speechmatics_v1.json", "M1"),
        ("rev.json", "0"),
        ("gladia.json", "0"),
        ("soniox.json", "1"),
        ("seglst.json", "A"),
    ],
)
def test_recognisers_tell_speakers_apart(name, speaker):
    transcript = read_words(SPEECH / name, speaker=speaker)
    assert plain(transcript) == WORDS[:2]
    assert transcript.title.endswith(f"{name} ({speaker})")
    with pytest.raises(
        TreeFormatError, match=f"there is no speaker 'x'; choose with speaker= from '{speaker}', "
    ):
        read_words(SPEECH / name, speaker="x")


# Words that programs write in other ways than the samples; all say WORDS, or the first of them.
OTHER_WAYS = {
    "bbc-kaldi, text": {
        "retval": {"words": [{"text": w, "start": a, "end": b, "confidence": 1} for w, a, b in WORDS]}
    },
    "bbc-kaldi, text alone": {
        "words": [{"text": w, "punct": w, "start": a, "end": b} for w, a, b in WORDS],
    },
    "assemblyai, words alone": {
        "words": [
            {"text": w, "start": round(1000 * a), "end": round(1000 * b), "confidence": 0.9}
            for w, a, b in WORDS
        ]
    },
    "aeneas, nested": {
        "fragments": [
            {
                "begin": "0.5",
                "end": "2.2",
                "lines": ["so um I can't wait"],
                "children": [{"begin": str(a), "end": str(b), "lines": [w]} for w, a, b in WORDS],
            }
        ]
    },
    "gladia, transcription alone": {
        "transcription": {"utterances": [{"words": [{"word": w, "start": a, "end": b} for w, a, b in WORDS]}]}
    },
}


@pytest.mark.parametrize("name, value", OTHER_WAYS.items(), ids=OTHER_WAYS)
def test_other_ways_of_recognisers_are_read(tmp_path, name, value):
    (tmp_path / "x.json").write_text(json.dumps(value), "utf-8")
    assert guess(tmp_path / "x.json") == name.partition(",")[0]
    assert plain(read_words(tmp_path / "x.json")) == WORDS


@pytest.mark.parametrize(
    "value, message",
    [
        pytest.param({"NBest": [{"Words": None}]}, "wordLevelTimestampsEnabled", id="Azure's SDK"),
        pytest.param(
            {"recognizedPhrases": [{"nBest": [{"words": None}]}]}, "wordLevelTimestampsEnabled", id="Azure"
        ),
        pytest.param(
            [{"start": 0.5, "end": 1.5, "speaker": "SPEAKER_00"}],
            "this looks like turns of speakers .diarisation. without words; align words",
            id="pyannote",
        ),
        pytest.param(
            {"output": {"diarization": [{"start": 0.5, "end": 1.5, "speaker": "SPEAKER_00"}]}},
            "this looks like turns of speakers .diarisation. without words; align words",
            id="pyannoteAI",
        ),
    ],
)
def test_json_without_words_says_what_is_missing(tmp_path, value, message):
    (tmp_path / "x.json").write_text(json.dumps(value), "utf-8")
    with pytest.raises(TreeFormatError, match=message):
        read_words(tmp_path / "x.json")


KARAOKE = r"Dialogue: 0,0:00:00.50,0:00:01.10,{\k22}so {\k8} {\k10}u{\kf20}m"
COLOURS = r"""Dialogue: 0,0:00:00.50,0:00:00.72,{\1c&H00ff00&}so{\r} um
Dialogue: 0,0:00:00.80,0:00:01.10,so {\1c&H00ff00&}um{\r}"""


@pytest.mark.parametrize("lines", [KARAOKE, COLOURS], ids=["karaoke", "a colour a word"])
def test_words_of_substation_with_times_of_their_own(tmp_path, lines):
    head = "[Script Info]\n\n[Events]\nFormat: Layer, Start, End, Text\n"
    (tmp_path / "x.ass").write_text(f"{head}{lines}\n", "utf-8")
    assert plain(read_words(tmp_path / "x.ass")) == WORDS[:2]


def test_hashes_and_underscores_are_silences(tmp_path):
    (tmp_path / "x.tsv").write_text("0\t0.5\t#\n0.5\t0.72\tso\n0.72\t0.8\t_\n0.8\t1.1\tum\n", "utf-8")
    transcript = read_words(tmp_path / "x.tsv")
    assert (plain(transcript), transcript.n_silences) == (WORDS[:2], 2)


def test_recognisers_without_speakers():
    with pytest.raises(TreeFormatError, match=r"nothing here tells who speaks; leave out speaker='x'$"):
        read_words(SPEECH / "bbc_kaldi.json", speaker="x")
    with pytest.raises(TreeFormatError, match="there are no tiers in this format"):
        read_words(SPEECH / "bbc_kaldi.json", tier="words")


def test_channels_and_recordings_have_to_be_chosen():
    for name, noun, first in [
        ("aws_channels.json", "channels", "ch_0"),
        ("nemo_manifest.json", "recordings", "talk.wav"),
        ("aligned.mlf", "recordings", "talk"),
        ("talk.cha", "speakers", "PAR"),
    ]:
        with pytest.raises(
            TreeFormatError, match=f"there are several {noun}; choose with speaker= from '{first}', "
        ):
            read_words(SPEECH / name)


def test_older_speaker_labels_of_aws(read):
    turns = [
        {"speaker_label": f"spk_{n}", "items": [{"start_time": f"{n}.0", "speaker_label": f"spk_{n}"}]}
        for n in (0, 1)
    ]
    items = [
        {
            "start_time": f"{n}.0",
            "end_time": f"{n}.5",
            "alternatives": [{"content": word}],
            "type": "pronunciation",
        }
        for n, word in enumerate(("so", "yes"))
    ]
    value = {"results": {"speaker_labels": {"speakers": 2, "segments": turns}, "items": items}}
    assert plain(read(value, "x.json", speaker="spk_1")) == [("yes", 1.0, 1.5)]


def test_other_files_of_nemo(read):
    """What older versions call a list of words, and what the tool Gecko takes."""
    older = {"audio_filepath": "a.wav", "timestamps_word": [{"word": "so", "start": 0.5, "end": 0.72}]}
    assert plain(read(older, "x.json")) == WORDS[:1]
    terms = [{"start": 0.5, "end": 0.72, "text": "so", "type": "WORD"}, {"text": ",", "type": "PUNCTUATION"}]
    gecko = {
        "schemaVersion": 2.0,
        "monologues": [{"speaker": {"name": None, "id": "speaker_0"}, "terms": terms}],
    }
    transcript = read(gecko, "x.json", speaker="speaker_0")
    assert (plain(transcript), transcript.n_marks) == (WORDS[:1], 1)


def test_channels_of_deepgram_are_numbered(read):
    channels = [
        {"alternatives": [{"words": [{"word": word, "start": 0, "end": 1}]}]} for word in ("so", "yes")
    ]
    assert plain(read({"results": {"channels": channels}}, "x.json", speaker="channel 2")) == [
        ("yes", 0.0, 1.0)
    ]


def test_words_that_gentle_did_not_find_are_estimated():
    transcript = read_words(SPEECH / "gentle.json")
    assert plain(transcript)[:5] == WORDS
    assert (transcript.words[5].text, transcript.n_estimated) == ("now", 1)


def test_captions_of_youtube_say_when_a_word_begins():
    transcript = read_words(SPEECH / "youtube.vtt")
    assert plain(transcript) == [WORDS[0], ("um", 0.72, 1.1), *WORDS[2:]]
    assert (transcript.n_silences, transcript.n_estimated) == (1, 0)


def test_cues_of_several_words_share_their_time():
    transcript = read_words(SPEECH / "voices.vtt")
    assert [word.text for word in transcript.words] == [text for text, _, _ in WORDS]
    assert transcript.words[:2] == [TimedWord("so", 0.5, 0.8, True), TimedWord("um", 0.8, 1.1, True)]
    assert [word.text for word in read_words(SPEECH / "voices.vtt", speaker="Ben").words] == [
        "I",
        "can't",
        "wait",
    ]


@pytest.mark.parametrize(
    "text, want",
    [
        pytest.param(
            "00:00:01,000 --> 00:00:02,000\nso\n00:00:02,000 --> 00:00:03,000\nyes\n",
            ["so", "yes"],
            id="no blank",
        ),
        pytest.param(
            "1\n0:0:1.5 --> 0:0:2,5\nso\n\n2\n00:00:02,500 --> 00:00:03,000\n7\n",
            ["so", "7"],
            id="a number is said",
        ),
        pytest.param(
            "1\n00:01,000 --> 00:02,000\nYes.\n\n2\n00:02,000 --> 00:03,000\nYes.\n",
            ["Yes.", "Yes."],
            id="said twice",
        ),
        pytest.param(
            "1\n00:01,000 --> 00:02,000\n{\\an8}<font color='red'>A&amp;B</font>\n\n", ["A&B"], id="tags"
        ),
        pytest.param(
            "1\n00:01,000 --> 00:02,000\n\n2\n00:02,000 --> 00:03,000\nyes\n", ["yes"], id="an empty cue"
        ),
    ],
)
def test_srt_as_it_occurs(read, text, want):
    assert [word.text for word in read(text, "x.srt").words] == want


def test_whisper_tsv_is_not_taken_for_seconds_and_the_other_way_round(read):
    assert plain(read("start\tend\ttext\n0\t1\ta\n1\t2\tb\n", "x.tsv")) == [("a", 0.0, 1.0), ("b", 1.0, 2.0)]
    transcript = read("start\tend\ttext\n0\t1500\tso yes\n1500\t2000\t[Music]\n", "x.tsv")
    assert [word[:3] for word in transcript.words] == [
        ("so", 0.0, pytest.approx(0.6)),
        ("yes", pytest.approx(0.6), 1.5),
    ]
    assert (transcript.n_estimated, transcript.n_silences) == (2, 1)


def test_elan_annotations_that_share_one_above_them():
    transcript = read_words(SPEECH / "words.eaf", tier="parts")
    assert transcript.words == [
        TimedWord("so", 0.5, 0.72),
        TimedWord("ca", 1.38, pytest.approx(1.528), True),
        TimedWord("n't", pytest.approx(1.528), 1.75, True),
    ]


EAF = (
    '<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="1" TIME_VALUE="500"/>'
    '<TIME_SLOT TIME_SLOT_ID="2"/><TIME_SLOT TIME_SLOT_ID="3" TIME_VALUE="1000"/></TIME_ORDER>'
    '<TIER TIER_ID="x">{}</TIER></ANNOTATION_DOCUMENT>'
)
ONE = (
    '<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{}" TIME_SLOT_REF1="{}" TIME_SLOT_REF2="{}">'
    "<ANNOTATION_VALUE>{}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
)
REF = (
    '<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="{}" ANNOTATION_REF="{}" PREVIOUS_ANNOTATION="{}">'
    "<ANNOTATION_VALUE>x</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
)


def test_elan_slots_without_times(read):
    transcript = read(EAF.format(ONE.format(1, 1, 2, "so") + ONE.format(2, 2, 3, "yes")), "x.eaf")
    assert transcript.words == [TimedWord("so", 0.5, 0.7, True), TimedWord("yes", 0.7, 1.0, True)]


@pytest.mark.parametrize(
    "inner, message",
    [
        pytest.param(ONE.format(1, 1, 9, "so"), "there is no time slot '9'", id="slot"),
        pytest.param(
            ONE.replace(' TIME_SLOT_REF2="{}"', "").format(1, 1, "so"),
            "TIME_SLOT_REF2 is missing",
            id="attribute",
        ),
        pytest.param(
            REF.format("b", "a9", ""), "the annotation refers to a9, which has no times", id="parent"
        ),
        pytest.param(
            ONE.format(1, 1, 3, "so") + REF.format("b", "a1", "c") + REF.format("c", "a1", "b"),
            "PREVIOUS_ANNOTATION goes around in a circle or to nowhere",
            id="circle",
        ),
        pytest.param(REF.format("b", "b", ""), "the annotation refers to b, which has no times", id="itself"),
    ],
)
def test_elan_refuses(read, inner, message):
    with pytest.raises(TreeFormatError, match=f"^x.eaf:1: {message}"):
        read(EAF.format(inner), "x.eaf")


def test_elan_reads_nothing_outside_of_the_file(read, folder):
    (folder / "secret").write_text("secret")
    text = '<!DOCTYPE a [<!ENTITY s SYSTEM "secret">]>' + EAF.format(ONE.format(1, 1, 3, "&s;"))
    with pytest.raises(TreeFormatError, match=r"^x\.eaf:1: entities of a document type"):
        read(text, "x.eaf")


def test_chat_codes_are_no_words():
    transcript = read_words(SPEECH / "talk.cha", speaker="INV")
    assert [word.text for word in transcript.words] == ["yes", "right", "you", "are"]
    assert (transcript.n_estimated, transcript.n_marks) == (4, 3)  # laughter, xxx and the full stop


def test_chat_sounds_that_are_said(read):
    text = "@UTF8\n@Begin\n*CHI:\t&-uh &+w want 0the &~gaga (be)cause +//. \x150_2000\x15\n@End\n"
    transcript = read(text, "x.cha")
    assert [word.text for word in transcript.words] == ["uh", "w", "want", "gaga", "because"]
    assert transcript.n_marks == 2


def test_ms98_transcripts_share_the_time_of_an_utterance(read):
    text = (
        "sw1A-ms98-a-0001 0 1 [silence]\nsw1A-ms98-a-0002 1 2 th[is]- [noise] ab\nsw1B-ms98-a-0001 0 1 yes\n"
    )
    transcript = read(text, "x.text", speaker="sw1A")
    assert transcript.words == [TimedWord("th-", 1.0, 1.6, True), TimedWord("ab", 1.6, 2.0, True)]
    assert transcript.n_silences == 2


def test_buckeye_words_of_several_parts_and_manners(read):
    lines = ["type 0", "#", " 0.5 122 <SIL>; S; S; null", " 1.0 122 <CUTOFF-th=the>; dh; dh; null"]
    text = "\n".join([*lines, " 2.0 122 sort_of; s; s; RB\n"])
    transcript = read(text, "x.words")
    assert [word.text for word in transcript.words] == ["th", "sort", "of"]
    assert (transcript.n_silences, transcript.n_estimated) == (1, 2)


def test_partitur_words_without_sounds_are_estimated(read):
    text = (
        "SAM: 1000\nORT: 0 so\nORT: 1 um\nORT: 2 yes\nMAU: 0 499 0 s\nMAU: 500 9 -1 <p:>\nMAU: 1000 499 2 j\n"
    )
    transcript = read(text, "x.par")
    assert plain(transcript) == [("so", 0.0, 0.5), ("um", 0.5, 1.0), ("yes", 1.0, 1.5)]
    assert (transcript.n_estimated, transcript.n_silences) == (1, 1)


def test_whisper_cpp_segments_without_tokens_share_their_time(read):
    value = {"transcription": [{"offsets": {"from": 0, "to": 1000}, "text": " so yes"}]}
    assert plain(read(value, "x.json")) == [("so", 0.0, 0.4), ("yes", 0.4, 1.0)]


def test_whisper_timestamped_words_with_punctuation():
    transcript = read_words(SPEECH / "whisper_timestamped.json")
    assert (plain(transcript), transcript.n_estimated) == ([("Bonjour!", 0.5, 1.2), ("Oui?", 2.02, 2.4)], 0)


@pytest.mark.parametrize(
    "name, unit",
    [
        ("x.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n{}<u>"),
        ("x.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n{}<v "),
        ("x.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n{}<v.a "),
        ("x.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n{}<00:01.500>\n"),
        ("x.cha", "@UTF8\n*CHI:\t{}(1"),
        ("x.cha", "@UTF8\n*CHI:\t({}1"),
        ("x.cha", "@UTF8\n*CHI:\t{}["),
        ("x.TextGrid", 'File type = "ooTextFile"\nObject class = "TextGrid"\n{}"'),
        ("x.TextGrid", 'File type = "ooTextFile"\nObject class = "TextGrid"\n{}"" '),
        ("x.json", "{}{{}}"),
        ("x.words", "comment a\n{}comment a\n"),
        ("x.text", "sw1A-ms98-a-0001 0 1 {}["),
        ("x", "{}a "),
    ],
)
def test_no_content_takes_forever(read, name, unit):
    """What grows with the square of the length would not end."""
    start, _, repeated = unit.replace("{{}}", "\0").partition("{}")
    text = start + 40_000 * repeated.replace("\0", "{}")
    try:
        words = read(text, name).words
    except TreeFormatError as error:
        words = [str(error)]
        assert words[0].startswith(name)
    assert words

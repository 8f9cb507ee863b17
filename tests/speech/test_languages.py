"""Numbers and signs in other languages than English; expected words are those that speakers say."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.errors import SettingsWarning
from structiou_metric.speech import project, spoken_words
from structiou_metric.speech.languages import LANGUAGES, check_language, read_out
from structiou_metric.speech.projection.spelling import sounds
from support.cli import failed, runner

CASES = {
    "de": {
        "21": "einundzwanzig",
        "1.200": "eintausendzweihundert",
        "1987": "neunzehnhundertsiebenundachtzig",
        "2005": "zweitausendfünf",
        "3,5": "drei Komma fünf",
        "1.234,05": "eintausendzweihundertvierunddreißig Komma null fünf",
        "007": "null null sieben",
        "50%": "fünfzig Prozent",
        "5€": "fünf Euro",
        "20°": "zwanzig Grad",
    },
    "fr": {
        "21": "vingt et un",
        "80": "quatre-vingts",
        "95": "quatre-vingt-quinze",
        "1er": "premier",
        "2e": "deuxième",
        "3,5": "trois virgule cinq",
        "10%": "dix pour cent",
    },
    "es": {
        "100": "cien",
        "1º": "primero",
        "1.500": "mil quinientos",
        "3,5": "tres coma cinco",
        "20%": "veinte por ciento",
    },
    "ja": {
        "1987": "千九百八十七",
        "10000": "一万",
        "3.5": "三点五",
        "50%": "五十パーセント",
        "\uff11\uff12": "十二",
    },
    "he": {"21": "עשרים ואחת", "100": "מאה", "5%": "חמש אחוז", "3.5": "שלוש נקודה חמש"},
    "zh": {
        "10": "十",
        "15": "十五",
        "110": "一百一十",
        "1001": "一千零一",
        "10,010": "一万零一十",
        "110000": "十一万",
        "100000001": "一亿零一",
        "3.14": "三点一四",
        "2005年": "二零零五年",
        "50%": "百分之五十",
        "\uff13\uff10": "三十",
    },
}
OTHERS = ["de", "fr", "es", "ja", "he"]  # which a library reads


@pytest.mark.parametrize(
    "language, text, said",
    [(language, text, said) for language, cases in CASES.items() for text, said in cases.items()],
)
def test_numbers_and_signs_sound_as_they_are_said(language, text, said):
    if language in OTHERS:
        pytest.importorskip("num2words")
    assert sounds(text, language) == sounds(said, language)
    assert not any(char.isdecimal() for char in sounds(text, language))


def test_every_language_has_cases():
    assert sorted(CASES) == sorted(set(LANGUAGES) - {"en"})


def value_of(text):
    """The number of Chinese numerals, by their places."""
    if "亿" in text:
        high, _, low = text.rpartition("亿")
        return value_of(high) * 10**8 + value_of(low)
    if "万" in text:
        high, _, low = text.rpartition("万")
        return value_of(high) * 10**4 + value_of(low)
    total, digit = 0, None
    for char in text:
        if char in "十百千":
            total += (1 if digit is None else digit) * {"十": 10, "百": 100, "千": 1000}[char]
            digit = None
        else:
            digit = "零一二三四五六七八九".index(char)
            digit = digit or None
    return total + (digit or 0)


@given(st.integers(1, 10**15 - 1) | st.integers(1, 20_000))
def test_chinese_numbers_can_be_read_back(number):
    said = read_out(str(number), "zh").strip()
    assert value_of(said) == number
    assert "零零" not in said
    assert not said.endswith("零")


def test_other_languages_leave_numbers_and_signs_alone():
    assert (sounds("42", "sv"), sounds("%", "sv"), sounds("5%", "sv")) == ("42", "", "5")
    assert spoken_words(["42", "hundar"], "sv") == ["42", "hundar"]


def test_words_for_an_aligner_are_read_out():
    assert spoken_words(["42"]) == ["42"]  # whose aligner knows several ways
    assert spoken_words(["2005年", "50%"], "zh") == ["二", "零", "零", "五", "年", "百分之", "五十"]
    pytest.importorskip("num2words")
    assert spoken_words("(X (CD 3,5) (NN %) (NN Zinsen) (. .))", "de") == [
        "drei",
        "komma",
        "fünf",
        "prozent",
        "zinsen",
    ]


def test_a_tree_is_projected_in_its_language():
    words = [("百分之五十", 0.0, 1.0), ("的", 1.0, 1.5), ("人", 1.5, 2.0)]
    tree = "(NP (DNP (QP (CD 50%)) (DEG 的)) (NN 人))"
    found = project(tree, words, language="zh")
    assert str(found.tree) == "(NP (DNP (QP (CD 50%<0.0,1.0>)) (DEG 的<1.0,1.5>)) (NN 人<1.5,2.0>))"
    assert found.report.match == 1.0
    assert project(tree, words, min_match=0.1, min_tree_match=0.0).report.match < 0.5


def test_english_numbers_in_letters():
    assert spoken_words(["$5", "in", "1,200"]) == ["5", "dollars", "in", "1200"]
    assert spoken_words(["$5", "in", "1,200"], digits=False) == [
        "five",
        "dollars",
        "in",
        "onethousandtwohundred",
    ]


def test_signs_of_currencies_are_behind_their_numbers_in_other_languages():
    pytest.importorskip("num2words")
    words = [("fünf", 0.0, 1.0), ("Dollar", 1.0, 2.0)]
    found = project("(NP ($ $) (CD 5))", words, language="de")
    assert (str(found.tree), found.report.match) == ("(NP (CD 5<0.0,1.0>) ($ $<1.0,2.0>))", 1.0)
    assert spoken_words(["$5"], "de") == spoken_words(["$", "5"], "de") == ["fünf", "dollar"]
    assert (
        project("(NP (CD 五) (M $5))", [("五", 0.0, 1.0), ("五美元", 1.0, 2.0)], language="zh").report.match
        == 1
    )


# ---- the command ---------------------------------------------------------------------------------


@pytest.fixture
def german(capsys, tmp_path, monkeypatch):
    """Projects a German sentence with a number."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.mrg").write_text("(NP (CD 21) (NN Hunde))\n", "utf-8")
    (tmp_path / "w.tsv").write_text("einundzwanzig\t0\t1\nHunde\t1\t2\n", "utf-8")
    return lambda *options: runner(capsys, "project")("t.mrg", *options)


def test_the_command_reads_out_in_a_language(german):
    pytest.importorskip("num2words")
    code, out, err = german("--words", "w.tsv", "--language", "de-AT")
    assert (code, out) == (0, "(NP (CD 21<0.0,1.0>) (NN Hunde<1.0,2.0>))\n")
    assert "100.0% of the characters match" in err
    assert german("--words", "w.tsv", "--min-match", "0.9")[0] == 1


def test_without_the_library_it_is_told_how_to_install_it(german, monkeypatch):
    monkeypatch.setitem(sys.modules, "num2words", None)
    message = failed(german("--words", "w.tsv", "--language", "de"))
    assert (
        message == "structiou: reading out numbers needs num2words: pip install 'structiou-metric[speech]'\n"
    )


def test_the_english_model_warns_of_other_languages(german):
    message = "structiou: warning: pocketsphinx has a model of English only, and the recording is in Chinese"
    assert german("--audio", "no.wav", "--language", "zh")[2].startswith(message)
    assert "warning" not in german("--audio", "no.wav", "--language", "zh", "--quiet")[2]
    assert "warning" not in german("--audio", "no.wav", "--language", "zh", "--aligner", "mine:a")[2]
    assert "warning" not in german("--audio", "no.wav", "--language", "en-GB")[2]


def test_an_unknown_language_is_told_and_nonsense_is_refused(german):
    code, _, err = german("--words", "w.tsv", "--language", "sv", "--min-match", "0.1")
    assert code == 0
    assert err.startswith(
        "structiou: warning: numbers and signs are left alone in 'sv'; they are read out in"
    )
    assert "'Swedish!' is no code of a language" in failed(
        german("--words", "w.tsv", "--language", "Swedish!")
    )
    with pytest.warns(SettingsWarning, match="left alone in 'nb-NO'"):
        assert check_language("nb-NO") == "nb"

"""Parameter files of EVALB."""

from __future__ import annotations

import pytest

from structiou_metric import TreeFormatError
from structiou_metric.errors import SettingsWarning
from structiou_metric.metrics.parseval.metric import Parseval
from structiou_metric.metrics.parseval.parameters import COLLINS, SPMRL, Parameters, as_parameters
from support.paths import DATA


def test_parameters_collins_file_is_the_built_in_set():
    assert Parameters.read(DATA / "COLLINS.prm") == COLLINS
    assert as_parameters(str(DATA / "COLLINS.prm")) == as_parameters("collins") == as_parameters(COLLINS)


def test_parameters_spmrl_set():
    assert as_parameters("spmrl") == SPMRL
    assert (SPMRL.cutoff, SPMRL.max_error, SPMRL.equal_labels) == (70, 10_000, ())


def test_parameters_of_an_empty_file_are_evalbs_defaults():
    assert Parameters.from_text("") == Parameters()
    assert (Parameters().cutoff, Parameters().labeled, Parameters().max_error) == (40, True, 10)


def test_parameters_every_keyword():
    text = """\
##-----------------------##
# DELETE_LABEL COMMENT
DEBUG 2
MAX_ERROR 3
CUTOFF_LEN 15
LABELED 0

DELETE_LABEL TOP
DELETE_LABEL S1 \t
DELETE_LABEL #
DELETE_LABEL_FOR_LENGTH -NONE-
DELETE_WORD uh
DELETE_WORD_FOR_LENGTH um
EQ_LABEL ADVP\tPRT
EQ_LABEL  A   B
EQ_WORD Example example
QUOTE_LABEL POS
"""
    assert Parameters.from_text(text) == Parameters(
        delete_labels=("TOP", "S1", "#"),
        delete_labels_for_length=("-NONE-",),
        delete_words=("uh",),
        delete_words_for_length=("um",),
        equal_labels=(("ADVP", "PRT"), ("A", "B")),
        equal_words=(("Example", "example"),),
        quote_labels=("POS",),
        cutoff=15,
        labeled=False,
        max_error=3,
    )


def test_parameters_last_number_counts():
    assert Parameters.from_text("CUTOFF_LEN 10\nCUTOFF_LEN 20\n").cutoff == 20


def test_parameters_windows_lines_and_byte_order_mark(tmp_path):
    path = tmp_path / "windows.prm"
    path.write_bytes(b"\xef\xbb\xbfDELETE_LABEL TOP\r\nEQ_LABEL A B\r\n")
    assert Parameters.read(path) == Parameters(delete_labels=("TOP",), equal_labels=(("A", "B"),))


def test_parameters_only_ascii_blanks_divide():
    assert Parameters.from_text("DELETE_WORD a\u00a0b").delete_words == ("a\u00a0b",)


@pytest.mark.parametrize(
    "line, message",
    [
        ("DELETE_LABEL", "DELETE_LABEL takes one value, not 0; write one such line for each"),
        ("DELETE_LABEL TOP S1", "DELETE_LABEL takes one value, not 2; write one such line for each"),
        ("EQ_LABEL ADVP", "EQ_LABEL takes two values, not 1; write one such line for each pair"),
        ("CUTOFF_LEN forty", "CUTOFF_LEN takes a whole number, not 'forty'"),
        ("LABELED --1", "invalid literal"),
    ],
)
def test_parameters_errors_name_file_and_line(tmp_path, line, message):
    path = tmp_path / "wrong.prm"
    path.write_text(f"# parameters\nDELETE_LABEL TOP\n{line}\n", encoding="utf-8")
    with pytest.raises(TreeFormatError, match=r"wrong\.prm:3: ") as caught:
        Parameters.read(path)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


@pytest.mark.parametrize(
    "line, values, message",
    [
        (
            "DELETE TOP",
            {},
            "unknown keyword 'DELETE' has no effect; choose from DELETE_LABEL, DELETE",
        ),
        ("X" * 100, {}, "unknown keyword 'XXXXXXXXXX"),
        (" CUTOFF_LEN 10", {}, "CUTOFF_LEN: a line that begins with a blank has no effect, as in EVALB"),
        ("CUTOFF_LEN 10 # words", {"cutoff": 10}, "'# words' is taken for a comment; EVALB takes it for a"),
        ("EQ_LABEL A B ## both", {"equal_labels": (("A", "B"),)}, "EQ_LABEL: '## both' is taken"),
    ],
)
def test_parameters_odd_lines_are_read_with_a_warning(tmp_path, line, values, message):
    path = tmp_path / "odd.prm"
    path.write_text(f"# parameters\nDELETE_LABEL TOP\n{line}\n", encoding="utf-8")
    with pytest.warns(SettingsWarning) as told:
        assert Parameters.read(path) == Parameters(delete_labels=("TOP",), **values)
    [warning] = [str(warning.message) for warning in told]
    assert f"{path}:3: " in warning
    assert message in warning
    assert len(warning) < 400 + len(str(path))


def test_parameters_file_that_is_not_text(tmp_path):
    path = tmp_path / "latin.prm"
    path.write_bytes(b"DELETE_LABEL \xe9\n")
    with pytest.raises(TreeFormatError, match=r"latin\.prm:1: byte 0xe9 is not UTF-8"):
        Parameters.read(path)


def test_parameters_missing_file():
    with pytest.raises(FileNotFoundError):
        as_parameters("no such file.prm")


def test_parameters_of_another_type_are_refused():
    with pytest.raises(
        TypeError, match="parameters must be Parameters, a file or one of collins, spmrl, proper, not dict"
    ):
        as_parameters({"delete_labels": ["TOP"]})


def test_parameters_lists_become_tuples():
    assert as_parameters(Parameters(["TOP"], equal_labels=[["A", "B"]])) == Parameters(
        ("TOP",), equal_labels=(("A", "B"),)
    )


def test_parameters_signature_quotes_what_would_be_mistaken():
    parameters = Parameters(delete_labels=(",", "a=b", '"', "", "|"), equal_words=(("=", "x"),))
    assert (
        '|delete_labels:",","a=b","""","","|"|equal_words:"="=x|cutoff:40|labeled:True|version:'
        in Parseval(parameters=parameters).signature
    )

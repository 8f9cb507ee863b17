"""EVALB's rules for quotes if two sentences differ in length, by `QUOTE_LABEL`."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

# The states of a word, and a mark of labels, as in `sentence`.
_KEPT, _GONE_BY_LABEL = 0, 1
_UNWANTED = 8


def repair_quotes(p, r, t, pred, ref, rules):
    """Restore deleted quotes if the other side has one at the same place that is kept.

    Places are counted from left to right in words that are kept, including those restored so far.
    """
    word: cython.Py_ssize_t
    other: cython.Py_ssize_t = 0  # the words of the reference before this one are done
    place: cython.Py_ssize_t
    more_pred: cython.Py_ssize_t = 0
    more_ref: cython.Py_ssize_t = 0
    for word in range(pred.n_all):
        if not pred.is_quote(p, t, word, rules):
            continue
        place = pred.rank[word] + more_pred
        if pred.gone[word] == _GONE_BY_LABEL:
            if place - more_ref < ref.n_words and ref.is_quote(r, t, ref.place[place - more_ref], rules):
                pred.gone[word] = _KEPT
                more_pred += 1
            continue
        while other < ref.n_all and (
            ref.rank[other] + more_ref < place or not ref.is_quote(r, t, other, rules)
        ):
            other += 1
        if other == ref.n_all:
            break
        if ref.rank[other] + more_ref == place and ref.gone[other] == _GONE_BY_LABEL:
            ref.gone[other] = _KEPT
            more_ref += 1
            other += 1
    pred.number_words()
    ref.number_words()
    return 0


def repeat_quotes(p, r, t, pred, ref, rules):
    """Repeat quotes whose labels would delete them if the other side has a quote that it would keep.

    EVALB_SPMRL restores quotes like `repair_quotes`, but it never deletes them, so that they are there twice.
    """
    word: cython.Py_ssize_t
    other: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    more_pred: cython.Py_ssize_t = 0
    more_ref: cython.Py_ssize_t = 0
    unwanted: cython.int
    for word in range(pred.n_all):
        pred.extra[word] = 0
    for word in range(ref.n_all):
        ref.extra[word] = 0
    for word in range(pred.n_all):
        if not pred.is_quote(p, t, word, rules):
            continue
        place = word + more_pred
        while other < ref.n_all and (other + more_ref < place or not ref.is_quote(r, t, other, rules)):
            other += 1
        if other == ref.n_all:
            break
        if other + more_ref != place:
            continue
        unwanted = rules.marks[pred.tag[word]] & _UNWANTED
        if unwanted == rules.marks[ref.tag[other]] & _UNWANTED:
            continue
        if unwanted:
            pred.extra[word] += 1
            more_pred += 1
        else:
            ref.extra[other] += 1
            more_ref += 1
    pred.repeats = ref.repeats = True
    pred.number_words()
    ref.number_words()
    return 0

"""Forced alignment with CTC models: the search for letters in sound, and models in ONNX."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

from ...optional import need
from .aligner import AlignedWords, AlignmentError
from .audio import RATE

_MOST_CELLS = 600_000_000  # of the table of ways, a byte each


class TokenSpan(NamedTuple):
    """The frames of a token, and its score."""

    first: int  # frame
    last: int  # one past the last frame
    score: float  # sum of its log probabilities


def find_tokens(
    log_probabilities: Any, words: Sequence[Sequence[int]], blank: int, delimiter: int | None = None
) -> list[list[TokenSpan]]:
    """Return the frames of each token of each word, on the best way through all frames.

    Args:
        log_probabilities: The log probability of each token in each frame: an array of frames by tokens.
        words: The tokens of each word, at least one each.
        blank: The blank token of CTC.
        delimiter: The token between words, if the model has one.

    Raises:
        AlignmentError: There are fewer frames than the words need.
    """
    numpy = need("numpy", "ctc", "forced alignment with a CTC model")
    tokens = [token for word in words for token in word]
    n_frames, n_states = len(log_probabilities), 2 * len(tokens) + 1
    if n_frames * n_states > _MOST_CELLS:
        raise AlignmentError(
            f"{len(tokens)} letters in {n_frames} frames at once are too many; cut it by time marks"
        )
    scores = _emissions(log_probabilities, words, tokens, blank, delimiter, numpy)
    # A token may follow the one before it without a blank if it is another one.
    may_skip = numpy.zeros(n_states, bool)
    may_skip[3::2] = [one != other for one, other in pairwise(tokens)]
    best = numpy.full(n_states, -numpy.inf)
    best[:2] = scores[0, :2]
    steps = numpy.zeros((n_frames, n_states), numpy.int8)  # by how many states the best way went on
    for frame in range(1, n_frames):
        ways = numpy.full((3, n_states), -numpy.inf)
        ways[0] = best
        ways[1, 1:] = best[:-1]
        ways[2, 2:] = numpy.where(may_skip[2:], best[:-2], -numpy.inf)
        steps[frame] = ways.argmax(axis=0)
        best = ways.max(axis=0) + scores[frame]
    last = n_states - 1 if best[-1] >= best[-2] else n_states - 2
    if best[last] == -numpy.inf:
        raise AlignmentError(
            f"{len(tokens)} letters need more than {n_frames} frames; are they those of another recording or "
            "stretch, or is it cut too short?"
        )
    states = _way_back(steps, last)
    return _spans(states, scores, words)


def _emissions(
    log_probabilities: Any,
    words: Sequence[Sequence[int]],
    tokens: Sequence[int],
    blank: int,
    delimiter: int | None,
    numpy: Any,
) -> Any:
    """Return the log probability of each state in each frame: a blank or gap, a token, and so on by turns."""
    quiet = log_probabilities[:, blank]
    gap = quiet if delimiter is None else numpy.maximum(quiet, log_probabilities[:, delimiter])
    scores = numpy.empty((len(log_probabilities), 2 * len(tokens) + 1))
    scores[:, 0::2] = quiet[:, None]
    scores[:, 1::2] = log_probabilities[:, list(tokens)]
    place = 0
    for word in words:
        scores[:, 2 * place] = gap
        place += len(word)
    scores[:, -1] = gap
    return scores


def _way_back(steps: Any, last: int) -> list[int]:
    """Return the state in each frame."""
    states = [last]
    for frame in range(len(steps) - 1, 0, -1):
        states.append(states[-1] - int(steps[frame, states[-1]]))
    return states[::-1]


def _spans(states: Sequence[int], scores: Any, words: Sequence[Sequence[int]]) -> list[list[TokenSpan]]:
    """Return the frames of the tokens, whose states are the odd ones."""
    frames: dict[int, list[int]] = {}
    for frame, state in enumerate(states):
        frames.setdefault(state, []).append(frame)
    spans: list[list[TokenSpan]] = []
    state = 1
    for word in words:
        spans.append([])
        for _ in word:
            own = frames[state]
            score = float(sum(scores[frame, state] for frame in own))
            spans[-1].append(TokenSpan(own[0], own[-1] + 1, score))
            state += 2
    return spans


_MODELS = ("model.onnx", os.path.join("onnx", "model.onnx"))
_BLANKS = ("<pad>", "[PAD]", "<blank>", "<blk>", "-")  # usual names of the blank, if no setting names it
_SPECIAL = ("<s>", "</s>", "<unk>", "[UNK]")  # tokens that are no letters
_WINDOW = 30.0  # seconds that the model hears at once
_MARGIN = 2.0  # seconds on either side of a window that the model also gets
_SHORTEST = 0.1  # seconds
_QUIET = 1e-7  # added to the variance, as where the models were trained


def _mean_probability(words: Sequence[Sequence[TokenSpan]]) -> float | None:
    """Return the mean probability (geometric) of the letters of words in their frames."""
    spans = [span for own in words for span in own]
    n_frames = sum(span.last - span.first for span in spans)
    return math.exp(sum(span.score for span in spans) / n_frames) if spans else None


class LetterAligner:
    """Finds words in sound by the letters that a CTC model hears in each frame; a subclass runs the model.

    A word is spelled with the letters of the model, in either case; other characters are left out, and a word
    without any letter of the model gets estimated times.
    """

    reads_digits = False
    judges_parts = True

    def __init__(
        self,
        letters: Mapping[str, int],
        blank: int,
        *,
        title: str,
        delimiter: int | None = None,
        normalized: bool = False,
    ) -> None:
        """Set the tokens of the model.

        Args:
            letters: The letters of the model with their tokens.
            blank: The blank token of CTC.
            title: The name of the list of letters, for errors.
            delimiter: The token between words, if the model has one.
            normalized: Whether the model expects sound with mean 0 and variance 1.
        """
        self._numpy = need("numpy", "ctc", "forced alignment with a CTC model")
        self._letters = letters
        self._longest = max(map(len, letters), default=1)
        self._blank = blank
        self._delimiter = delimiter
        self._title = title
        self._normalized = normalized

    def _logits(self, samples: Any) -> Any:
        """Return the logits of samples: an array of frames by tokens."""
        raise NotImplementedError

    def align(
        self, samples: Any, rate: int, words: Sequence[str], *, parts: Sequence[int] | None = None
    ) -> AlignedWords:
        """Find each word, from the first frame of its first letter to the last one of its last.

        A confidence is the mean probability (geometric) of the letters in their frames. As models differ, no
        level is right for all of them, and none is refused by default.

        Args:
            samples: The sound.
            rate: The number of samples a second.
            words: All words of the stretch, in order.
            parts: The number of words of each tree; each tree gets a confidence.

        Raises:
            AlignmentError: The words do not fit into the sound.
        """
        if rate != RATE:
            raise ValueError(f"this aligner needs {RATE} samples a second, not {rate}")
        if len(samples) < _SHORTEST * rate:
            raise AlignmentError(f"{len(samples) / rate:g} s of sound is too short")
        spelled = [self._spell(word) for word in words]
        if not any(spelled):
            raise AlignmentError(
                f"no word can be spelled with the {len(self._letters)} letters of {self._title}; is the "
                "model of this language, and does it want another script? Then romanise the words before"
            )
        heard = self._hear(samples)
        found = iter(find_tokens(heard, [word for word in spelled if word], self._blank, self._delimiter))
        spans = [next(found) if tokens else [] for tokens in spelled]
        step = len(samples) / rate / len(heard)
        timed = [
            (word, own[0].first * step, own[-1].last * step) if own else (word, None, None)
            for word, own in zip(words, spans, strict=True)
        ]
        ends = accumulate(parts or [], initial=0)
        return AlignedWords(
            timed, _mean_probability(spans), [_mean_probability(spans[at:end]) for at, end in pairwise(ends)]
        )

    def _hear(self, samples: Any) -> Any:
        """Return the log probabilities of frames by tokens; long sound is heard in windows that overlap."""
        numpy = self._numpy
        values = numpy.asarray(samples, numpy.float32)
        if self._normalized:
            values = (values - values.mean()) / numpy.sqrt(values.var() + _QUIET)
        window, margin = round(_WINDOW * RATE), round(_MARGIN * RATE)
        parts = []
        for start in range(0, len(values), window):
            end = min(start + window, len(values))
            if len(values) - end < margin:
                end = len(values)  # no window is so short that nothing can be heard
            first, last = max(0, start - margin), min(end + margin, len(values))
            logits = self._logits(values[first:last])
            step = (last - first) / len(logits)
            parts.append(logits[round((start - first) / step) : round((end - first) / step)])
            if end == len(values):
                break
        logits = numpy.concatenate(parts).astype(float)
        if not numpy.isfinite(logits).all():
            raise AlignmentError("the model's answer is not finite")
        shifted = logits - logits.max(axis=1, keepdims=True)
        return shifted - numpy.log(numpy.exp(shifted).sum(axis=1, keepdims=True))

    def _spell(self, word: str) -> list[int]:
        """Return the tokens of a word, the longest first at each place."""
        tokens: list[int] = []
        text = normalize("NFC", word)
        at = 0
        while at < len(text):
            for length in range(min(self._longest, len(text) - at), 0, -1):
                part = text[at : at + length]
                forms = (part, part.lower(), part.upper())
                token = next((self._letters[form] for form in forms if form in self._letters), None)
                if token is not None:
                    tokens.append(token)
                    break
            else:
                length = 1
            at += length
        return tokens


class CtcAligner(LetterAligner):
    """Runs a CTC model in ONNX, such as an export of wav2vec 2.0 or MMS.

    The folder holds the files of an export of Hugging Face's models: `model.onnx` (or `onnx/model.onnx`),
    whose input are samples and whose output are logits of frames by tokens; `vocab.json`, the tokens with
    their numbers; and, where they differ from the usual, `config.json`, `preprocessor_config.json` and
    `tokenizer_config.json`.
    """

    def __init__(self, model: str, *, language: str | None = None) -> None:
        """Load the model.

        Args:
            model: The folder of the model.
            language: Which part of a `vocab.json` with several languages, as MMS has it.

        Raises:
            ValueError: The folder lacks a file, or the model is of another kind.
        """
        self._folder = os.fspath(model)
        path = next((found for name in _MODELS if os.path.isfile(found := self._path(name))), None)
        if path is None:
            raise ValueError(f"{self._folder}: there is no model.onnx; give the folder of an exported model")
        runtime = need("onnxruntime", "ctc", "forced alignment with a CTC model")
        try:
            self._session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        except Exception as error:  # of many kinds, none of them public
            raise ValueError(f"{path}: this is no model that onnxruntime can run: {error}") from error
        self._inputs = [one.name for one in self._session.get_inputs()]
        config, tokenizer = self._settings("config.json"), self._settings("tokenizer_config.json")
        preprocessor = self._settings("preprocessor_config.json")
        rate = preprocessor.get("sampling_rate", RATE)
        if rate != RATE:
            raise ValueError(f"{self._folder}: the model hears {rate} samples a second, not {RATE}")
        self._tokens = self._read_tokens(language)
        delimiter = str(tokenizer.get("word_delimiter_token", "|"))
        unsaid = {*_BLANKS, *_SPECIAL, delimiter}
        super().__init__(
            {text: number for text, number in self._tokens.items() if text not in unsaid},
            self._find_blank(config, tokenizer),
            title=self._path("vocab.json"),
            delimiter=self._tokens.get(delimiter),
            normalized=bool(preprocessor.get("do_normalize", True)),
        )

    def _logits(self, samples: Any) -> Any:
        numpy = self._numpy
        fed = {self._inputs[0]: samples[None]}
        fed |= {
            name: numpy.ones((1, len(samples)), numpy.int64) for name in self._inputs[1:] if "mask" in name
        }
        logits = self._session.run(None, fed)[0]
        if logits.ndim != 3 or not logits.shape[1] or logits.shape[2] <= max(self._tokens.values()):
            raise ValueError(
                f"{self._folder}: the model answers with an array of shape {logits.shape}, not (1, frames, "
                f"tokens) with a token for each of vocab.json; is it one for CTC?"
            )
        return logits[0]

    # ---- the folder ----------------------------------------------------------------------------

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _settings(self, name: str) -> Mapping[str, Any]:
        """Return the content of a file of settings; an empty dict if it is not there."""
        path = self._path(name)
        if not os.path.isfile(path):
            return {}
        with open(path, encoding="utf-8") as file:
            try:
                value = json.load(file)
            except ValueError as error:
                raise ValueError(f"{path}: this is not JSON: {error}") from None
        if not isinstance(value, dict):
            raise ValueError(f"{path}: this should be a JSON object")
        return value

    def _read_tokens(self, language: str | None) -> dict[str, int]:
        path = self._path("vocab.json")
        vocabulary = self._settings("vocab.json")
        if not vocabulary:
            raise ValueError(f"{path}: there is no vocabulary; it gives the number of each token")
        if all(isinstance(part, dict) for part in vocabulary.values()):
            if language is None and len(vocabulary) == 1:
                language = next(iter(vocabulary))
            if language is None or language not in vocabulary:
                raise ValueError(f"{path} has several languages; choose from {', '.join(sorted(vocabulary))}")
            vocabulary = vocabulary[language]
        if not all(type(number) is int and number >= 0 for number in vocabulary.values()):
            raise ValueError(f"{path}: a token must have a whole number, as in {{'a': 4}}")
        return dict(vocabulary)

    def _find_blank(self, config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int:
        number = config.get("pad_token_id")
        if isinstance(number, int):
            return number
        named = tokenizer.get("pad_token")
        found = next((self._tokens[name] for name in (named, *_BLANKS) if name in self._tokens), None)
        if found is None:
            raise ValueError(f"{self._folder}: which token is the blank? Give pad_token_id in config.json")
        return found

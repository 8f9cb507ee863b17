"""Forced alignment with torchaudio's MMS_FA, a CTC model of over a thousand languages in Latin letters."""

from __future__ import annotations

from collections.abc import Sequence
from threading import local
from typing import Any
from unicodedata import normalize

from ...optional import need
from .aligner import AlignmentError
from .audio import RATE


class MmsAligner:
    """Finds words by the letters that torchaudio's `pipelines.MMS_FA` hears.

    Its weights are downloaded when it is made for the first time. A word is spelled with the letters of the
    model after accents are taken off; texts in other scripts have to be romanised before. A word without any
    of its letters gets estimated times.
    """

    reads_digits = False

    def __init__(self, *, min_confidence: float = 0.0) -> None:
        """Load the model.

        Args:
            min_confidence: Words that the model is less sure of are an error; see `confidence`. It is not
                calibrated: by default none is refused.
        """
        self._torch = need("torch", "mms", "forced alignment with torchaudio")
        bundle = need("torchaudio.pipelines", "mms", "forced alignment with torchaudio").MMS_FA
        self._model = bundle.get_model(with_star=False)
        self._tokenizer = bundle.get_tokenizer()
        self._aligner = bundle.get_aligner()
        self._letters = {text for text in bundle.get_dict(star=None) if len(text) == 1 and text != "-"}
        self.min_confidence = min_confidence
        self._last = local()

    @property
    def confidence(self) -> float | None:
        """The mean probability of the letters of this thread's last call in their frames."""
        return getattr(self._last, "confidence", None)

    def align(self, samples: Any, rate: int, words: Sequence[str]) -> list[tuple[str, Any, Any]]:
        """Say where each word is, from the first frame of its first letter to the last one of its last.

        Raises:
            AlignmentError: The words do not fit into the sound, or the model is not sure enough of them.
        """
        if rate != RATE:
            raise ValueError(f"this aligner needs {RATE} samples a second, not {rate}")
        spelled = [
            "".join(c for c in normalize("NFKD", word).lower() if c in self._letters) for word in words
        ]
        said = [text for text in spelled if text]
        if not said:
            raise AlignmentError(
                "no word can be spelled with the letters of MMS_FA; romanise the words before"
            )
        with self._torch.inference_mode():
            emission = self._model(self._torch.from_numpy(samples)[None])[0][0]
        try:
            spans = self._aligner(emission, self._tokenizer(said))
        except (RuntimeError, ValueError) as error:  # as torchaudio says that there are too few frames
            raise AlignmentError(f"torchaudio cannot align these words: {error}") from None
        step = len(samples) / rate / len(emission)
        letters = [span for own in spans for span in own]
        total = sum(span.score * (span.end - span.start) for span in letters)
        confidence = self._last.confidence = float(total / sum(span.end - span.start for span in letters))
        if confidence < self.min_confidence:
            raise AlignmentError(
                f"the words do not fit the sound (confidence {confidence:.2f}, from min_confidence="
                f"{self.min_confidence:g} on they count as a match); are they those of another recording?",
                confidence,
            )
        found = iter(spans)
        answer: list[tuple[str, Any, Any]] = []
        for word, text in zip(words, spelled, strict=True):
            own = next(found) if text else None
            answer.append(
                (word, None, None) if own is None else (word, own[0].start * step, own[-1].end * step)
            )
        return answer

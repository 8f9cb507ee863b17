"""Forced alignment with torchaudio's MMS_FA, a CTC model of over a thousand languages in Latin letters."""

from __future__ import annotations

from typing import Any
from unicodedata import normalize

from ...optional import need
from .ctc import LetterAligner

_BLANK = "-"


class MmsAligner(LetterAligner):
    """Runs torchaudio's `pipelines.MMS_FA`, whose weights are downloaded when it is made for the first time.

    Words are spelled after accents are taken off; texts in other scripts have to be romanised before.
    """

    def __init__(self) -> None:
        """Load the model."""
        self._torch = need("torch", "mms", "forced alignment with torchaudio")
        bundle = need("torchaudio.pipelines", "mms", "forced alignment with torchaudio").MMS_FA
        tokens = bundle.get_dict(star=None)
        super().__init__(
            {text: number for text, number in tokens.items() if text != _BLANK},
            tokens[_BLANK],
            title="MMS_FA",
        )
        self._model = bundle.get_model(with_star=False)

    def _logits(self, samples: Any) -> Any:
        with self._torch.inference_mode():
            return self._numpy.asarray(self._model(self._torch.from_numpy(samples)[None])[0][0])

    def _spell(self, word: str) -> list[int]:
        return super()._spell("".join(filter(str.isascii, normalize("NFKD", word))))

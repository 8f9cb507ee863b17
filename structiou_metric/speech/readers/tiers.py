"""Which of several tiers or speakers is meant."""

from __future__ import annotations

from collections.abc import Sequence

from .documents import Document

# Names of tiers with words, also behind a speaker: `Anna - words`. The third is WebMAUS's.
WORD_TIERS = ("words", "word", "ort-mau")

_DASH = " - "


def choose_tier(names: Sequence[str], tier: str | None, speaker: str | None, document: Document) -> int:
    """The number of the tier that is meant.

    Without `tier` it is the only one with a name of `WORD_TIERS`, or else the only one there is.

    Args:
        names: The tiers with intervals.
        tier: A name, or with a speaker what stands behind him in `SPEAKER - words`.
        speaker: A name; his may also be the tier with this very name.
        document: Where, for errors.
    """
    if not names:
        raise document.error("there are no tiers with intervals; give a file with a tier of words")
    if tier is not None:
        found = _with_name(names, tier, speaker)
    else:
        found = [i for i, name in enumerate(names) if _is_words(name, speaker)]
        if not found and speaker is not None:
            found = [i for i, name in enumerate(names) if _same(name, speaker)]
        if not found and speaker is None and len(names) == 1:
            found = [0]
    if len(found) == 1:
        return found[0]
    fitting = [names[i] for i in found]
    if len(set(fitting)) < len(fitting):
        raise document.error(f"several tiers have the same name: {_listed(fitting)}; rename all but one")
    what = "of words" if tier is None else repr(tier)
    if speaker is not None:
        what += f" of speaker {speaker!r}"
    how = f"there are several tiers {what}" if found else f"there is no tier {what}"
    raise document.error(f"{how}; choose with tier= or speaker= from {_listed(fitting or names)}")


def choose_speaker(names: Sequence[str], speaker: str | None, document: Document) -> str:
    """The speaker, or source and channel, that is meant.

    Args:
        names: All there are. Names of several parts, such as a source and a channel, have a blank
            between them.
        speaker: A name or a part of one, or None where there is only one.
        document: Where, for errors.
    """
    distinct = list(dict.fromkeys(names))
    found = [name for name in distinct if speaker is None or name == speaker]
    if speaker is not None and not found:
        found = [name for name in distinct if speaker in name.split(" ")]
    if len(found) == 1:
        return found[0]
    what = "" if speaker is None else f" {speaker!r}"
    how = f"there are several speakers{what}" if found else f"there is no speaker{what}"
    raise document.error(f"{how}; choose with speaker= from {_listed(found or distinct)}")


def refuse(option: str, value: str | None, document: Document) -> None:
    """An error where a choice is given that the format does not have."""
    if value is not None:
        raise document.error(f"there are no {option}s in this format; leave out {option}={value!r}")


def _with_name(names: Sequence[str], tier: str, speaker: str | None) -> list[int]:
    wanted = tier if speaker is None else speaker + _DASH + tier
    found = [i for i, name in enumerate(names) if name == wanted]
    found = found or [i for i, name in enumerate(names) if _same(name, wanted)]
    if not found and speaker is None:
        found = [i for i, name in enumerate(names) if _same(name.rpartition(_DASH)[2], tier)]
    return found


def _is_words(name: str, speaker: str | None) -> bool:
    who, dash, what = name.rpartition(_DASH)
    if speaker is not None and not (dash and _same(who, speaker)):
        return False
    return what.strip().casefold() in WORD_TIERS


def _same(name: str, other: str) -> bool:
    return name.strip().casefold() == other.strip().casefold()


def _listed(names: Sequence[str]) -> str:
    most = 20
    shown = ", ".join(map(repr, names[:most]))
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown

"""The choice of one of several tiers or speakers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .documents import Document, Entry, Track

# Names of tiers with words, also after a speaker: `Anna - words`; those of the first group count before
# those of the next. The later ones are those of MAUS.
WORD_TIERS = (("words", "word"), ("ort-mau",), ("ort",))

# Names of tiers with sounds, which are never taken for words unless they are asked for.
PHONE_TIERS = ("phones", "phone", "phonemes", "phoneme", "segments", "segment", "mau", "kan-mau", "kan")

_DASH = " - "


def choose_tier(
    names: Sequence[str],
    tier: str | None,
    speaker: str | None,
    document: Document,
    groups: Sequence[Sequence[str]] = WORD_TIERS,
) -> int:
    """Return the number of the tier that is meant.

    `tier` is a name; with a speaker it may be the part after the speaker in `SPEAKER - words`. Without a
    name, the only tier named in a group is chosen, earlier groups first, or else the tier with the name of
    the speaker, or the only tier.
    """
    if not names:
        raise document.error(f"there are no tiers with intervals; give a file with a tier of {groups[0][0]}")
    tests: list[Callable[[str], bool]]  # the first that any name passes is the one that counts
    if tier is None:
        tests = [
            *(lambda name, group=group: _is_words(name, speaker, group) for group in groups),
            lambda name: len(names) == 1 if speaker is None else _same(name, speaker),
        ]
    else:
        wanted = tier if speaker is None else speaker + _DASH + tier
        tests = [
            lambda name: name == wanted,
            lambda name: _same(name, wanted),
            lambda name: speaker is None and _same(name.rpartition(_DASH)[2], tier),
        ]
    passing = ([i for i, name in enumerate(names) if test(name)] for test in tests)
    found = next(filter(None, passing), [])
    if len(found) == 1 and tier is None and groups is WORD_TIERS and _kind(names[found[0]]) in PHONE_TIERS:
        raise document.error(
            f"the tier {names[found[0]]!r} is of sounds, not of words; give a file with a tier of words"
        )
    if len(found) == 1:
        return found[0]
    fitting = [names[i] for i in found]
    if len(set(fitting)) < len(fitting):
        raise document.error(f"several tiers have the same name: {listed(fitting)}; rename all but one")
    what = f"of {groups[0][0]}" if tier is None else repr(tier)
    if speaker is not None:
        what += f" of speaker {speaker!r}"
    how = f"there are several tiers {what}" if found else f"there is no tier {what}"
    raise document.error(f"{how}; choose with tier= or speaker= from {listed(fitting or names)}")


def choose_speaker(
    names: Sequence[str], speaker: str | None, document: Document, noun: str = "speaker"
) -> str:
    """Return the speaker that is meant, by a name or a part of one, or None where there is only one.

    Names of several parts, such as a recording and a channel, have a blank between them. In errors they are
    described by `noun`.
    """
    distinct = list(dict.fromkeys(names))
    found = [name for name in distinct if speaker is None or name == speaker]
    if speaker is not None and not found:
        found = [name for name in distinct if speaker in name.split(" ")]
    if len(found) == 1:
        return found[0]
    what = "" if speaker is None else f" {speaker!r}"
    how = f"there are several {noun}s{what}" if found else f"there is no {noun}{what}"
    raise document.error(f"{how}; choose with speaker= from {listed(found or distinct)}")


def choose_track(
    tracks: Mapping[str, Track], speaker: str | None, document: Document, noun: str = "speaker"
) -> Track:
    """Return the track of the speaker that is meant; see `choose_speaker`."""
    name = choose_speaker(list(tracks), speaker, document, noun)
    return tracks[name]._replace(title=f"{document.title} ({name})") if len(tracks) > 1 else tracks[name]


def stream_track(found: Sequence[tuple[Entry, str | None]], speaker: str | None, document: Document) -> Track:
    """Return the entries of all speakers, who take turns, or of the one that is meant."""
    if speaker is None:
        return Track([entry for entry, _ in found], document.title)
    names = [name for _, name in found if name is not None]
    if not names:
        raise document.error(f"nothing here tells who speaks; leave out speaker={speaker!r}")
    chosen = choose_speaker(names, speaker, document)
    return Track([entry for entry, name in found if name == chosen], f"{document.title} ({chosen})")


def refuse(option: str, value: str | None, document: Document) -> None:
    """Raise an error where a choice is given that the format does not have."""
    if value is not None:
        raise document.error(f"there are no {option}s in this format; leave out {option}={value!r}")


def _is_words(name: str, speaker: str | None, group: Sequence[str]) -> bool:
    who, dash, _ = name.rpartition(_DASH)
    if speaker is not None and not (dash and _same(who, speaker)):
        return False
    return _kind(name) in group


def _kind(name: str) -> str:
    """Return the kind of a tier: the part of its name after the speaker."""
    return name.rpartition(_DASH)[2].strip().casefold()


def _same(name: str, other: str) -> bool:
    return name.strip().casefold() == other.strip().casefold()


def listed(names: Sequence[str]) -> str:
    most = 20
    shown = ", ".join(map(repr, names[:most]))
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown

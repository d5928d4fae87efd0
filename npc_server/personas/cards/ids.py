"""Ids made of names in any script. An id has only the letters a to z, digits and `_`, so other letters are written with those."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from npc_server.records import NpcId

ID_CHARS = 60
_SMALL = re.compile(
    r"LATIN SMALL (?:LETTER|LIGATURE) ([A-Z]{1,2})(?: WITH .*)?"
    r"|HANGUL SYLLABLE ([A-Z]+)"
    r"|(?:HIRAGANA|KATAKANA) LETTER (?:SMALL )?([A-Z]+)"
)
"""Names in the Unicode database that tell the sound: `LATIN SMALL LETTER O WITH STROKE`, `HANGUL SYLLABLE HAN`."""
_WRITTEN = (
    # Latin letters whose names do not tell it.
    "ß=ss þ=th ð=d ŋ=ng ı=i ə=e "
    # Cyrillic.
    "а=a б=b в=v г=g ґ=g д=d ђ=dj е=e ё=yo є=ye ж=zh з=z и=i і=i ї=yi й=y ј=j к=k л=l љ=lj м=m н=n њ=nj о=o п=p р=r с=s т=t ћ=c "
    "у=u ў=u ф=f х=kh ц=ts ч=ch џ=dz ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya "
    # Greek.
    "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o"
)
_LETTERS = dict(pair.split("=") for pair in _WRITTEN.split())


def id_of(name: str) -> NpcId:
    """An id made of a name, the same each time: `thorunn_oskudottir` for Þórunn Öskudóttir.

    Of a name in a script that cannot be written with Latin letters here, such as Chinese, it is `person_` and a number made of the name.
    """
    plain = "".join(_latin(letter) for letter in unicodedata.normalize("NFC", name).lower())
    slug = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:ID_CHARS].strip("_")
    is_lost = any(letter.isalpha() for letter in name) and not any(letter.isalpha() for letter in slug)
    if is_lost or not slug:
        return f"person_{hashlib.blake2b(name.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"
    return slug if slug[0].isalpha() else f"p_{slug}"


@lru_cache(4096)
def _latin(letter: str) -> str:
    """A small letter as Latin letters; empty for one that has none here, and a space for what is no letter."""
    if letter.isascii():
        return letter
    if letter in _LETTERS:
        return _LETTERS[letter]
    if named := _SMALL.fullmatch(unicodedata.name(letter, "")):
        return str(next(filter(None, named.groups()))).lower()
    parts = unicodedata.normalize("NFKD", letter)
    if parts != letter:
        return "".join(_latin(part) for part in parts)
    return "" if unicodedata.category(letter)[0] in "LM" else " "

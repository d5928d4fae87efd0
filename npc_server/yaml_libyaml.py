"""Reads YAML text with libyaml, which is written in C and takes a tenth of the time.

libyaml follows YAML 1.1, and the reader in Python YAML 1.2. So this reads only texts that both read alike, and raises `Unsure` for others.
The reader in Python then reads them, and tells of their mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import events

try:
    from yaml.cyaml import CParser
except ImportError:  # PyYAML was built without libyaml.
    CParser = None

_READ_OTHERWISE = re.compile(r"[\t\x85\u2028\u2029\ufeff]|^(?:%|---|\.\.\.)|[|>][-+0-9]*#", re.MULTILINE)
"""Tabs, line ends that YAML 1.2 no longer knows, byte order marks, directives, marks of documents, and comments right after `|`."""


class Unsure(Exception):
    """The text is not YAML, or the reader in Python may read it otherwise."""


def quick_events(text: str) -> Iterator[events.Event]:
    """Yields the same events as `yaml_events.events_of`. Raises Unsure, also after some events."""
    if CParser is None or _READ_OTHERWISE.search(text):
        raise Unsure
    try:
        parser: Any = CParser(text)
        while (found := parser.get_event()) is not None:
            yield _as_ruamel(found)
    except Exception as error:  # Of libyaml's many kinds none is reported: the reader in Python finds and explains the mistake.
        raise Unsure from error


def _as_ruamel(found: Any) -> events.Event:
    kind, begin, end = type(found).__name__, found.start_mark, found.end_mark
    if getattr(found, "tag", None) is not None or getattr(found, "anchor", None) is not None:
        raise Unsure
    if kind == "ScalarEvent":
        return events.ScalarEvent(None, None, found.implicit, found.value, begin, end, style=found.style)
    if kind == "MappingStartEvent":
        return events.MappingStartEvent(None, None, found.implicit, begin, end)
    if kind == "SequenceStartEvent":
        return events.SequenceStartEvent(None, None, found.implicit, begin, end)
    event: events.Event = getattr(events, kind)(begin, end)
    return event

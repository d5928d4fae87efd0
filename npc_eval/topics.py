"""Finds the topic of a memory from its sentence, for case files, which hold only sentences. It knows those that npc-server writes."""

from __future__ import annotations

import re

from npc_server.records import MemoryTopic

_SENTENCES = (
    (MemoryTopic.SAID, re.compile(r'^.{1,60}? said: "(.*)"$', re.DOTALL)),
    (MemoryTopic.ASKED, re.compile(r'^.{1,100}? asked: "')),
    (MemoryTopic.ANSWERED, re.compile(r'^.{1,60}? answered .{1,100}?: "')),
    (MemoryTopic.PLAN, re.compile(r"^\S+'s plan for ")),
    (MemoryTopic.FAILED, re.compile(r"^\S.{0,60}? could not do this\b")),
    (MemoryTopic.MET, re.compile(r"^\S.{0,80}? (?:had no time to talk with .{1,80}|talked with .{1,80} in a round of \d+)\.?$")),
    (MemoryTopic.MET, re.compile(r"^\S.{0,80}? often sees .{1,80} these days\.?$")),
    (MemoryTopic.SMALL_TALK, re.compile(r"^\S.{0,60}? talked with .{1,80}? at \d\d:\d\d about this and that")),
    (MemoryTopic.TALKED, re.compile(r"^\S.{0,60}? talked with ")),
    (MemoryTopic.CALLED, re.compile(r"^\S.{0,60}? did this: ")),
)


def topic_of(text: str) -> MemoryTopic:
    """The topic of a sentence; `OTHER` if npc-server did not write it."""
    return next((topic for topic, sentence in _SENTENCES if sentence.search(text.strip())), MemoryTopic.OTHER)

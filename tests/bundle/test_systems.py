"""The systems for which bundles are made."""

from __future__ import annotations

import platform
import re

import pytest

from npc_server.bundle.systems import NAMES, SYSTEMS, find_system, is_this
from npc_server.errors import BadInput
from tests.godot.conftest import ADDON


def test_a_system_is_found_by_its_name_and_another_says_which_there_are() -> None:
    assert find_system(" macOS-arm64 ").machine == "arm64"
    with pytest.raises(BadInput, match=r"There is no platform 'amiga'. Choose one of: linux, .*windows"):
        find_system("amiga")


def test_the_addon_knows_the_same_systems() -> None:
    addon = (ADDON / "npc_bundle.gd").read_text(encoding="utf-8")
    named = re.findall(r'^\t"([a-z0-9-]+)": "[a-z]+ [a-z0-9_]+",$', addon, re.MULTILINE)
    assert sorted(named) == sorted(NAMES)


def test_at_most_one_of_them_is_this_machine() -> None:
    here = [system.name for system in SYSTEMS if is_this(system)]
    assert len(here) <= 1
    assert here == ["linux"] or (platform.system(), platform.machine()) != ("Linux", "x86_64")

"""`npc-server memory`: memories of a save that nobody plays are added, edited and deleted, and their history is shown."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from npc_server.cli.app import app
from npc_server.errors import NpcServerError
from npc_server.memory import database, memories
from tests.cli.test_save import ENVIRONMENT, save
from tests.session.conftest import settings

__all__ = ["save", "settings"]
DEAD = "The old king is dead."


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["memory", *map(str, arguments)], env=ENVIRONMENT)
    if isinstance(done.exception, NpcServerError):
        return 1, str(done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def held(save: Path, npc: str) -> dict[int, str]:
    with database.reading(save) as db:
        return {memory.id: memory.text for memory in memories.load(db, npc)}


def test_a_modder_gives_edits_and_deletes_a_memory_and_sees_who_did_what(save: Path) -> None:
    code, said = run("add", save, DEAD, "--for", "Mara, tobin_hale", "--importance", 9, "--key", "king", "--from", "the herald")
    assert code == 0, said
    assert f"mara_voss has memory {max(held(save, 'mara_voss'))}, importance 9: {DEAD}" in said
    assert DEAD in held(save, "tobin_hale").values()
    assert DEAD not in held(save, "ines_calder").values()
    number = max(held(save, "mara_voss"))
    assert run("edit", save, "mara", number, "--text", "The old king is ill.")[0] == 0
    assert held(save, "mara_voss")[number] == "The old king is ill."
    code, said = run("delete", save, "--key", "king")
    assert (code, said.count("Deleted memory")) == (0, 2)
    assert number not in held(save, "mara_voss")
    _, said = run("history", save, "mara")
    assert [line.split("memory ")[1] for line in said.splitlines()] == [
        f"{number} added by modder",
        f"{number} edited by modder: {DEAD} (importance 9)",
        f"{number} deleted by modder: The old king is ill. (importance {said.rpartition('importance ')[2].rstrip(')' + chr(10))})",
    ]


def test_a_wrong_request_leaves_the_save_as_it_was(save: Path) -> None:
    before = save.read_bytes()
    for arguments, why in [
        (("add", save, DEAD), "names nobody"),
        (("add", save, " ", "--everybody"), "Field text"),
        (("add", save, DEAD, "--for", "nobody"), "nobody 'nobody'"),
        (("add", save, DEAD, "--faction", "pirates"), "no faction 'pirates'"),
        (("edit", save, "mara", 9999, "--text", "What?"), "no memory 9999"),
        (("delete", save, "mara"), "Name one memory"),
    ]:
        code, said = run(*arguments)
        assert code == 1, arguments
        assert why in said
    assert run("delete", save, "--key", "king")[1].startswith("Nobody has a memory with the key")
    assert save.read_bytes() == before

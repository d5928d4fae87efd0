"""The group `npc-server eval` with the commands of all its files."""

from __future__ import annotations

from npc_eval.commands import believability, evaluate, preference, ties

app = evaluate.app
app.command()(ties.ties)
app.add_typer(believability.app, name="believability")
app.add_typer(preference.app, name="preference")

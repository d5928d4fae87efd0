"""The `npc-server` app with all its commands."""

from __future__ import annotations

import typer

from npc_server import __version__
from npc_server.cli import (
    answer,
    believability,
    bench,
    bundle,
    cost,
    demo,
    evaluate,
    interview,
    mind,
    model,
    persona,
    policy,
    preference,
    save,
    serve,
    setup,
    simulate,
    talk,
)
from npc_server.cli.output import say

app = typer.Typer(
    name="npc-server",
    help="Gives the characters of a Godot game a mind, on the player's own machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve.serve)
app.command()(setup.setup)
app.command()(bundle.bundle)
app.command()(demo.demo)
app.command()(simulate.simulate)
app.command()(answer.answer)
app.command()(mind.mind)
app.command()(talk.talk)
app.command()(interview.interview)
app.command()(cost.cost)
app.command()(bench.bench)
evaluate.app.add_typer(believability.app, name="believability")
evaluate.app.add_typer(preference.app, name="preference")
app.add_typer(evaluate.app, name="eval")
app.add_typer(model.app, name="model")
app.add_typer(persona.app, name="persona")
app.add_typer(policy.app, name="policy")
app.add_typer(save.app, name="save")


@app.command()
def version() -> None:
    """Print the version."""
    say(__version__)

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from npc_server.documents import load_yaml, read_document
from npc_server.world.town_schema import json_schema
from tests.world.towns import HAMLET, document

SCHEMA = Path("npc_server/data/schema/town.schema.json")


def _schema() -> Any:
    return json.loads(SCHEMA.read_text("utf-8"))


def test_schema_file_is_what_the_model_says() -> None:
    assert SCHEMA.read_text("utf-8") == json_schema(), "run: python -m npc_server.world.town_schema > " + str(SCHEMA)


def test_schema_accepts_the_shipped_town_and_a_small_one() -> None:
    for file in (read_document(Path("npc_server/data/towns/millbrook/town.yaml")), document()):
        jsonschema.Draft202012Validator(_schema()).validate(load_yaml(file).value)


def test_schema_marks_a_mistyped_key() -> None:
    value = load_yaml(document(HAMLET.replace("open: true", "opne: true"))).value
    with pytest.raises(jsonschema.ValidationError, match="opne"):
        jsonschema.Draft202012Validator(_schema()).validate(value)


def test_every_field_is_explained() -> None:
    schema = _schema()
    for model in [schema, *schema["$defs"].values()]:
        for name, field in model["properties"].items():
            assert field.get("description"), f"{model['title']}.{name}"

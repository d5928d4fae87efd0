"""Settings: where they come from, what is wrong with them, and that each is documented."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput

DOCS = Path(__file__).parents[1] / "docs" / "settings.md"


@pytest.fixture(autouse=True)
def _nothing_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings file of the developer's, and none of the environment's."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("NPC_SERVER_")]:
        monkeypatch.delenv(name)


def every_setting() -> Iterator[tuple[str, FieldInfo]]:
    for section, spec in Settings.model_fields.items():
        assert isinstance(spec.annotation, type)
        assert issubclass(spec.annotation, BaseModel)
        for name, field in spec.annotation.model_fields.items():
            yield f"{section}.{name}", field


def row(name: str, field: FieldInfo) -> str:
    """The setting's line in docs/settings.md."""
    default = "in the user's own folders" if field.default_factory else shown(field.default)
    return f"| `{name}` | {default} | {field.description} |"


def shown(value: object) -> str:
    if value is None or value in ("", ()):
        return "none"
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value}`"


def test_every_setting_stands_in_the_docs_with_its_default_and_meaning() -> None:
    lines, by_name = set(DOCS.read_text(encoding="utf-8").splitlines()), seldom_changed()
    missing = [row(name, field) for name, field in every_setting() if name not in by_name and row(name, field) not in lines]
    assert not missing, "put into docs/settings.md:\n" + "\n".join(missing)


def seldom_changed() -> list[str]:
    """The settings whose names the page lists by section, and whose meaning `npc-server settings` prints."""
    listed = re.findall(r"^- `([a-z]+)`: ([^.]+)\.$", DOCS.read_text(encoding="utf-8").split("## Seldom changed")[1], re.MULTILINE)
    return [f"{section}.{name}" for section, names in listed for name in re.findall(r"`([a-z_0-9]+)`", names)]


def test_the_docs_name_no_setting_that_is_gone() -> None:
    rows = re.findall(r"^\| `([a-z_]+\.[a-z_0-9]+)`", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    names = [name for name, _ in every_setting()]
    assert rows == [name for name in names if name in rows]
    assert sorted(rows + seldom_changed()) == sorted(names)


def test_every_setting_says_what_it_is() -> None:
    assert all(field.description and field.description.endswith((".", ")")) for _, field in every_setting())


def test_without_anything_the_defaults_hold() -> None:
    settings = load_settings()
    assert settings.server.host == "127.0.0.1"
    assert settings.mind.recency_decay == 0.995


def test_a_flag_goes_before_the_environment_before_the_file_before_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.toml"
    file.write_text("[mind]\nretention = 1\nattention_bandwidth = 1\nretrieval_count = 1\n", encoding="utf-8")
    monkeypatch.setenv("NPC_SERVER_MIND__ATTENTION_BANDWIDTH", "2")
    monkeypatch.setenv("NPC_SERVER_MIND__RETRIEVAL_COUNT", "2")
    mind = load_settings(file, mind={"retrieval_count": 3}).mind
    assert (mind.retention, mind.attention_bandwidth, mind.retrieval_count, mind.reflection_threshold) == (1, 2, 3, 150)


def test_the_settings_file_of_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "npc-server.toml").write_text("[server]\nport = 1234\n", encoding="utf-8")
    assert load_settings().server.port == 1234


def test_every_mistake_is_told_with_its_name_and_value(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('[server]\nport = 70000\n[mind]\nretentoin = 3\nprofile = "x"\n', encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        load_settings(file)
    for part in ("server.port = 70000", "mind.retentoin = 3", "mind.profile = 'x'", "docs/settings.md"):
        assert part in str(caught.value)


def test_a_file_that_is_no_toml_or_not_there_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("[server\n", encoding="utf-8")
    with pytest.raises(BadInput, match="is not TOML"):
        load_settings(file)
    with pytest.raises(BadInput, match="There is no settings file"):
        load_settings(tmp_path / "gone.toml")


def test_settings_cannot_be_changed_while_running() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().mind.retention = 3  # type: ignore[misc]

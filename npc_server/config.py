"""Every number with its unit and source, as typed settings.

A setting comes from, in order: a command's flag, the environment (`NPC_SERVER_MIND__REFLECTION_THRESHOLD=100`),
the settings file (`npc-server.toml`, or the one named by `--config`), the default here. `docs/settings.md` lists
them all, and a test fails when one is missing there. GA is Generative Agents (arXiv 2304.03442), AGA is Affordable
Generative Agents (arXiv 2402.02053).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from npc_server.errors import BadInput

Part = Literal["fuller_calls", "rule_importance", "calm_reactions", "policies", "social_memory", "wandering"]
"""What makes minds affordable; each can be switched in `MindSettings`."""
DEFAULT_FILE = Path("npc-server.toml")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ServerSettings(_Section):
    """Where the server listens."""

    host: str = Field("127.0.0.1", description="Address to bind. Anything but loopback needs TLS or `insecure_network`.")
    port: int = Field(50551, ge=0, le=65535, description="TCP port; 0 picks a free one.")
    token: str = Field("", description="Token every call must carry; empty makes a fresh one at each start.")
    tls_cert: Path | None = Field(None, description="PEM certificate chain, for a non-loopback address.")
    tls_key: Path | None = Field(None, description="PEM private key.")
    insecure_network: bool = Field(False, description="Allow a non-loopback address without TLS.")
    max_message_bytes: int = Field(4 * 1024 * 1024, ge=65536, description="Largest message, in bytes.")
    stop_grace_s: float = Field(5.0, ge=0, description="Seconds that running calls get when the server stops.")


class SaveSettings(_Section):
    """Where saves live and how they are written."""

    folder: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("npc-server", appauthor=False)) / "saves",
        description="Folder of the slots, one SQLite file each.",
    )
    commit_wait_ms: float = Field(
        2.0, ge=0, le=1000, description="Milliseconds the writer waits for more writes before it commits a group."
    )


class EngineSettings(_Section):
    """The language model."""

    model: str = Field(
        "npc-nano",
        description="A name of the catalogue, or a path to a GGUF file; `none` for instinct only. npc-nano comes with the server. "
        "For tests: `by-hand:FOLDER` waits for answers that somebody writes, `recorded:FOLDER` gives them again.",
    )
    embedding_model: str = Field("all-minilm-l6-v2", description="The same for embeddings; `none` uses hashed words.")
    models_folder: Path = Field(
        default_factory=lambda: Path(platformdirs.user_cache_dir("npc-server", appauthor=False)) / "models",
        description="Folder of the models that were pulled, made or added.",
    )
    models_url: str = Field("https://huggingface.co", description="Where `npc-server model pull` finds the catalogue's repositories.")
    max_pull_bytes: int = Field(16 * 1024**3, ge=1_000_000, description="Largest file that `npc-server model pull` takes, in bytes.")
    n_gpu_layers: int = Field(-1, ge=-1, description="Layers on the GPU where there is one; -1 for all, 0 for none.")
    threads: int = Field(0, ge=0, description="Threads to decode with; 0 takes half the logical cores, at least 1, at most 8.")
    context_tokens: int = Field(8192, ge=512, description="Tokens that all running requests share in the context.")
    max_parallel: int = Field(16, ge=1, le=64, description="Requests decoded together; others wait in the queue.")
    batch_tokens: int = Field(512, ge=32, description="Tokens in one decode; longer prompts come in chunks of it.")
    kept_prefixes: int = Field(16, ge=0, le=64, description="Finished sequences kept so that later prompts can share their start.")
    others_share: float = Field(
        0.25,
        ge=0,
        le=1,
        description="Tokens that all others get for each token of a player's answer, once its first word is out; 0: none until its end.",
    )
    queue_limit: int = Field(256, ge=1, description="Requests that may wait; one more is refused.")
    temperature: float | None = Field(
        None, ge=0, le=2, description="Sampling temperature; 0 takes the likeliest token. None: as the model file recommends, else 0.7."
    )
    top_p: float | None = Field(None, gt=0, le=1, description="Nucleus sampling. None: as the model file recommends, else 0.95.")
    min_p: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Tokens under this share of the likeliest are not sampled. None: as the model file recommends, else 0.05.",
    )
    deadline_s: float = Field(60.0, gt=0, description="Wall seconds an answer may take before instinct decides.")
    player_deadline_s: float = Field(20.0, gt=0, description="The same, for all that is asked while a player waits.")
    restart_wait_s: float = Field(0.5, ge=0, description="Wall seconds before a crashed model process is started again; doubles up to 30.")
    deaths_max: int = Field(
        5,
        ge=1,
        description="Crashes in a row, without a finished answer, after which the model is given up until a save is opened.",
    )
    hang_s: float = Field(120.0, gt=0, description="Wall seconds without a sign of life after which a busy model process is killed.")
    max_header_bytes: int = Field(64 * 1024 * 1024, ge=4096, description="Largest GGUF header that is read.")

    @property
    def instinct_only(self) -> bool:
        """Whether no model is wanted."""
        return self.model.strip().lower() in ("", "none")

    @property
    def model_name(self) -> str:
        """What to call the model; `none` where none is wanted."""
        return "none" if self.instinct_only else self.model.strip()


class MindSettings(_Section):
    """The numbers of the papers."""

    profile: Literal["affordable", "generative-agents"] = Field(
        "affordable", description="How questions are asked; `generative-agents` asks as the reference implementation does."
    )
    # What makes minds affordable, each part on its own. None: as the profile says (on for `affordable`, off for `generative-agents`).
    fuller_calls: bool | None = Field(None, description="One question for a whole day, hour, action or conversation.")
    rule_importance: bool | None = Field(None, description="Rules rate the memories they are sure of; the model rates the rest.")
    calm_reactions: bool | None = Field(None, description="Rules let pass what nobody would react to; the model decides the rest.")
    policies: bool | None = Field(None, description="Lifestyle Policies: plans that worked are repeated without the model (AGA, 3.1).")
    social_memory: bool | None = Field(
        None, description="Social Memory: prompts contain a summary of each relationship, not raw memories (AGA, 3.2)."
    )
    wandering: bool | None = Field(None, description="Mind wandering: memories drawn at random go into the day's plan (AGA, 3.3).")
    policy_similarity: float = Field(0.97, gt=0, le=1, description="Cosine above which a plan counts as the same (AGA's code: 0.97).")
    policies_kept: int = Field(
        1000, ge=1, description="Policies kept in a save. Beyond that the least recently used are removed, once unused for a game day."
    )
    wandering_memories: int = Field(3, ge=1, le=20, description="Memories drawn for one plan (AGA's code: 3).")
    wandering_window: int = Field(500, ge=1, le=5000, description="Latest memories that are drawn from.")
    wandering_eps: float = Field(0.3, gt=0, description="Distance within which DBSCAN joins two memories (AGA's code: 0.3).")
    wandering_min_samples: int = Field(2, ge=1, description="Memories that make a cluster for DBSCAN (AGA's code: 2).")
    instinct: Literal["rules", "minimal"] = Field(
        "rules",
        description="What answers without a model: `rules`, or `minimal`, which follows the routine and says that it does not know.",
    )
    by_instinct: tuple[str, ...] | None = Field(
        None,
        description="Names of prompts that instinct answers even with a model. None: as the model file recommends.",
    )
    tokens_per_game_hour: int = Field(
        0,
        ge=0,
        description="Tokens of all minds per game hour, in equal shares. Minds near a player or talking with one are exempt. 0: no limit.",
    )
    tokens_kept_hours: int = Field(
        8, ge=0, le=1000, description="Game hours that an unspent share is kept: the night's, for the morning's plan."
    )
    vision_radius_m: float = Field(8.0, gt=0, description="Metres at which a person notices things (GA's code: 8 tiles).")
    attention_bandwidth: int = Field(8, ge=1, description="New events taken in at once, nearest first (GA's code: 8).")
    retention: int = Field(8, ge=0, description="Latest observations in which the same event is not noticed again (GA's code: 8).")
    recency_decay: float = Field(0.995, gt=0, le=1, description="Recency per game hour since last access (GA, 4.1).")
    recency_weight: float = Field(1.0, ge=0, description="Weight of recency in the retrieval score (GA, 4.1).")
    importance_weight: float = Field(1.0, ge=0, description="Weight of importance (GA, 4.1).")
    relevance_weight: float = Field(1.0, ge=0, description="Weight of relevance (GA, 4.1).")
    retrieval_count: int = Field(20, ge=1, description="Memories retrieved for a question; the prompt's budget may admit fewer.")
    observation: bool = Field(True, description="Whether NPCs remember what they see; off for an ablation (GA, 6).")
    reflection: bool = Field(True, description="Whether NPCs reflect; off for an ablation (GA, 6).")
    planning: bool = Field(True, description="Whether NPCs plan, or follow their routine; off for an ablation (GA, 6).")
    reflection_threshold: int = Field(150, ge=1, description="Sum of importance that starts a reflection (GA, 4.2).")
    identity_hours: int = Field(
        8, ge=0, description="Least game hours between two revisions of the identity by reflections; each morning revises it anyway."
    )
    plan_strokes_min: int = Field(5, ge=1, description="Fewest broad strokes of a day (GA, 4.3).")
    plan_strokes_max: int = Field(8, ge=1, description="Most broad strokes of a day (GA, 4.3).")
    step_minutes_min: int = Field(5, ge=1, description="Shortest step of a plan, in game minutes (GA, 4.3).")
    step_minutes_max: int = Field(15, ge=1, description="Longest step that asks for one address, in game minutes (GA, 4.3).")
    max_retries_per_step: int = Field(2, ge=0, description="Other places tried when an action fails, before the step is given up.")
    places_offered: int = Field(12, ge=1, le=64, description="Places offered for one action, best first.")
    commands_offered: int = Field(20, ge=1, le=64, description="Commands offered at once in a household, best first.")
    commands_per_activity: int = Field(40, ge=1, description="Commands tried for one activity in a household before it is given up.")
    prompt_tokens: int = Field(1500, ge=128, description="Tokens one prompt may take; the least important sections go first.")
    talk_lines_max: int = Field(8, ge=2, description="Lines of one conversation between NPCs (GA's code: 16).")
    talk_line_s: int = Field(15, ge=1, description="Game seconds one spoken line takes.")
    talk_cooldown_min: int = Field(120, ge=0, description="Game minutes before an NPC starts another conversation with the same person.")
    repeat_similarity: float = Field(0.95, gt=0, le=1, description="Cosine above which a line or a step is a repetition (loop detection).")
    repeat_window: int = Field(6, ge=2, description="Latest steps that a new one is compared with (loop detection).")
    path_wait_s: float = Field(5.0, gt=0, description="Wall seconds to wait for the game's path result.")

    def uses(self, part: Part) -> bool:
        """Whether a part of what makes minds affordable is on."""
        chosen: bool | None = getattr(self, part)
        return self.profile == "affordable" if chosen is None else chosen


class Settings(BaseSettings):
    """All settings. Raises pydantic's ValidationError; `load_settings` turns it into `BadInput`."""

    model_config = SettingsConfigDict(
        env_prefix="NPC_SERVER_", env_nested_delimiter="__", toml_file=DEFAULT_FILE, extra="forbid", frozen=True
    )

    server: ServerSettings = Field(default_factory=ServerSettings)
    save: SaveSettings = Field(default_factory=SaveSettings)
    engine: EngineSettings = Field(default_factory=EngineSettings)
    mind: MindSettings = Field(default_factory=MindSettings)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(file: Path | None = None, **sections: dict[str, Any]) -> Settings:
    """Settings from `sections` (flags), the environment and `file`. Raises BadInput with every mistake."""
    if file is not None and not file.is_file():
        raise BadInput(f"There is no settings file {str(file)!r}.", "Name an existing TOML file, or leave --config out.")

    class FromFile(Settings):
        model_config = SettingsConfigDict(toml_file=file or DEFAULT_FILE)

    try:
        return FromFile(**sections)  # type: ignore[arg-type]
    except ValidationError as error:
        lines = [f"Setting {'.'.join(str(part) for part in e['loc'])} = {e.get('input')!r}: {e['msg']}." for e in error.errors()]
        raise BadInput("\n".join(lines), "docs/settings.md lists every setting with its unit and range.") from error
    except ValueError as error:  # tomllib's TOMLDecodeError
        raise BadInput(f"The settings file {str(file or DEFAULT_FILE)!r} is not TOML: {error}.", "Mend the line it names.") from error

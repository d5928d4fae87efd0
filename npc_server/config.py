"""All settings, typed, with units and sources.

A setting is taken from the first place that has it: the option of a command, the environment
(`NPC_SERVER_MIND__REFLECTION_THRESHOLD=100`), the settings file (`npc-server.toml`, or the one named by `--config`), the default here.
`docs/settings.md` lists all settings, and a test checks that it does. GA is Generative Agents (arXiv 2304.03442), AGA is Affordable
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
"""The parts that make minds affordable. `MindSettings` has a switch for each."""
DEFAULT_FILE = Path("npc-server.toml")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ServerSettings(_Section):
    """Where the server listens."""

    host: str = Field(
        "127.0.0.1",
        description="Address to listen on. Any but loopback needs a `token`, and TLS or `insecure_network`.",
    )
    port: int = Field(50551, ge=0, le=65535, description="TCP port to listen on; 0 picks a free one.")
    socket_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Port of the [socket](protocol.md#the-socket); 0 picks a free one. If none, the port after `port`.",
    )
    websocket: bool = Field(False, description="The socket also speaks WebSocket, for [games in a browser](remote.md).")
    token: str = Field(
        "",
        description="Token that every call must send. If none, each start makes one. Any host but loopback needs at least 16 characters.",
    )
    tls_cert: Path | None = Field(None, description="File of the TLS certificate chain (PEM).")
    tls_key: Path | None = Field(None, description="File of the TLS private key (PEM).")
    insecure_network: bool = Field(False, description="Allow any address without TLS. There is no socket then.")
    max_message_bytes: int = Field(4 * 1024 * 1024, ge=65536, description="Largest message, in bytes.")
    stop_grace_s: float = Field(5.0, ge=0, description="Wall seconds that running calls may take when the server stops.")


class SaveSettings(_Section):
    """Where saves are kept, and how they are written."""

    folder: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("npc-server", appauthor=False)) / "saves",
        description="Folder of the saves.",
    )
    commit_wait_ms: float = Field(2.0, ge=0, le=1000, description="Milliseconds to wait for more writes, to commit them together.")
    full_sync: bool = Field(
        True,
        description="Wait until each write is on the disk. Without it, a power cut can lose or damage unsaved play.",
    )


class AdapterSettings(_Section):
    """A LoRA adapter on the model."""

    file: str = Field(min_length=1)
    scale: float = Field(1.0, ge=-10, le=10, allow_inf_nan=False)

    @property
    def label(self) -> str:
        """Its name, with the scale if that is not 1."""
        name = Path(self.file).name.removesuffix(".gguf").removesuffix(".lora")
        return name if self.scale == 1 else f"{name} x {self.scale:g}"


BEST = "best"
"""The setting `engine.model` that lets the server choose."""


def names_none(model: str) -> bool:
    """Whether a setting asks for no model: it is empty or `none`."""
    return model.strip().lower() in ("", "none")


class EngineSettings(_Section):
    """The language model."""

    model: str = Field(
        BEST,
        description="Name of a model of the catalogue, path of a GGUF file, or [address of an endpoint](models.md#endpoints). "
        "`best` takes [the best that is installed](models.md#the-best-model-here), and `none` is the small "
        "profile. With [npc-eval](eval.md#answers-by-hand), also `by-hand:FOLDER` and `recorded:FOLDER`.",
    )
    adapters: tuple[AdapterSettings, ...] = Field(
        (),
        description="[LoRA adapters](models.md#adapters): a list of `{ file = PATH, scale = 1.0 }`, with scales from -10 to 10.",
    )
    embedding_model: str = Field(
        "all-minilm-l6-v2", description="Name, GGUF file or endpoint of the embedding model; `none` compares words instead of meanings."
    )
    embedding_parallel: int = Field(
        1, ge=1, le=16, description="Texts that are embedded at once, each by `threads` threads; `simulate` takes all cores."
    )
    reranker: Literal["npc-rerank", "none"] = Field(
        "npc-rerank",
        description="Reads the best answers to a player again, in about a third of a second; `none` saves that and 200 MB.",
    )
    runtime: str = Field(
        "auto",
        description="What [runs models](models.md#what-runs-a-model) here: `llama-cpp-python`, `xllamacpp`, `llama-server`, or"
        " the path of one; `auto` takes the first that is installed.",
    )
    models_folder: Path = Field(
        default_factory=lambda: Path(platformdirs.user_cache_dir("npc-server", appauthor=False)) / "models",
        description="Folder of models that were downloaded, made or added.",
    )
    models_url: str = Field("https://huggingface.co", description="Where `npc-server model pull` downloads models from.")
    max_pull_bytes: int = Field(16 * 1024**3, ge=1_000_000, description="Largest file that `npc-server model pull` downloads, in bytes.")
    n_gpu_layers: int = Field(-1, ge=-1, description="Layers on the graphics card; -1 for all, 0 for none.")
    threads: int = Field(0, ge=0, description="Threads of the model; 0 takes half the logical cores, from 1 to 8.")
    context_tokens: int = Field(8192, ge=512, description="Size of the context that all requests share in a `pool`, in tokens.")
    kv_cache: Literal["auto", "pool", "streams"] = Field(
        "auto",
        description="Requests share one context (`pool`), or each has its own (`streams`), which is faster on a processor and "
        "takes more memory. `auto` takes streams on a processor if they fit in `kv_memory_mb`.",
    )
    stream_tokens: int = Field(2048, ge=512, description="Size of each request's own context with `streams`, in tokens.")
    kv_memory_mb: int = Field(
        1000,
        ge=0,
        description='Most memory for `streams` with `kv_cache = "auto"`, or for the context on a graphics card, in millions of bytes.',
    )
    max_parallel: int = Field(16, ge=1, le=64, description="Most requests that are decoded together; others wait.")
    batch_tokens: int | None = Field(None, ge=32, description="Most tokens in one decoding step. If none, 512, or 2048 on a graphics card.")
    kept_prefixes: int = Field(
        16, ge=0, le=64, description="Finished sequences that are kept, so that prompts with the same start are cheaper."
    )
    states_mb: int = Field(
        500,
        ge=0,
        description="Most disk space for what the model has read of each person, in millions of bytes, so that a talk begins at once; "
        "0 keeps nothing.",
    )
    others_share: float = Field(
        0.25,
        ge=0,
        le=1,
        description="Tokens that all others get for each token of an answer to a player, after its first word.",
    )
    queue_limit: int = Field(256, ge=1, description="Most requests that may wait; further ones are refused.")
    temperature: float | None = Field(None, ge=0, le=2, description="Sampling temperature. If none, the model file decides, else 0.7.")
    top_p: float | None = Field(None, gt=0, le=1, description="Nucleus sampling. If none, the model file decides, else 0.95.")
    min_p: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Tokens below this share of the likeliest one are not sampled. If none, the model file decides, else 0.05.",
    )
    deadline_s: float = Field(60.0, gt=0, description="Wall seconds that an answer may take; then instinct answers.")
    player_deadline_s: float = Field(20.0, gt=0, description="Wall seconds that all questions for one answer to a player may take.")
    first_word_s: float = Field(
        8.0,
        gt=0,
        description="Wall seconds to the model's first word for a player; then memory or the bank answers.",
    )
    embedding_deadline_s: float = Field(
        60.0,
        gt=0,
        description="Wall seconds that vectors of texts may take. For a player's line, at most 5; for npc-rerank, a twentieth.",
    )
    restart_wait_s: float = Field(
        0.5, ge=0, description="Wall seconds before a crashed model process is started again, doubled with each crash up to 30."
    )
    deaths_max: int = Field(
        5,
        ge=1,
        description="Crashes in a row after which the model is given up until a save is opened; failures in a row after which "
        "no question waits for an endpoint until it answers again.",
    )
    hang_s: float = Field(120.0, gt=0, description="Wall seconds without progress after which a busy model process is killed.")
    max_header_bytes: int = Field(64 * 1024 * 1024, ge=4096, description="Largest GGUF header that is read, in bytes.")

    @property
    def takes_best(self) -> bool:
        """Whether the server chooses the model (`llm.best_here`)."""
        return self.model.strip().lower() == BEST

    @property
    def instinct_only(self) -> bool:
        """Whether the settings ask for no model."""
        return names_none(self.model)

    @property
    def hashed_words(self) -> bool:
        """Whether the settings ask for no embedding model, so that words are compared."""
        return names_none(self.embedding_model)

    @property
    def model_name(self) -> str:
        """The name of the model with its adapters, or `none` without one."""
        return "none" if self.instinct_only else self.with_adapters(self.model.strip())

    def with_adapters(self, model: str) -> str:
        """The name of a model with those of its adapters."""
        return " + ".join((model, *(adapter.label for adapter in self.adapters)))


class MindSettings(_Section):
    """How minds think, with the numbers of the papers."""

    profile: Literal["affordable", "generative-agents"] = Field(
        "affordable",
        description="How minds ask: `affordable`, or, with [npc-eval](eval.md), `generative-agents` as the "
        "[baseline](minds.md#the-baseline).",
    )
    # The parts that make minds affordable. None lets the profile decide: on for `affordable`, off for `generative-agents`.
    fuller_calls: bool | None = Field(None, description="Ask one question for a whole day, hour, action or conversation.")
    rule_importance: bool | None = Field(None, description="Let rules rate the importance of clear cases.")
    calm_reactions: bool | None = Field(None, description="Let rules ignore what nobody would react to.")
    policies: bool | None = Field(None, description="Repeat plans that worked without the model: Lifestyle Policies (AGA, 3.1).")
    social_memory: bool | None = Field(None, description="Show relationships in prompts as Social Memory, not as raw memories (AGA, 3.2).")
    social_memory_lines: int = Field(
        6, ge=0, description="Lines of a talk after which Social Memory is revised (AGA, 3.2). 0: only after the talk."
    )
    wandering: bool | None = Field(None, description="Show random memories in prompts: mind wandering (AGA, 3.3).")
    policy_similarity: float = Field(0.97, gt=0, le=1, description="Cosine above which two plans count as the same (AGA's code: 0.97).")
    policies_kept: int = Field(1000, ge=1, description="Most policies in a save. Beyond that, those unused for a game day are removed.")
    wandering_memories: int = Field(3, ge=1, le=20, description="Random memories for one plan (AGA's code: 3).")
    wandering_rate: float = Field(0.1, ge=0, le=1, description="Share of lines and reactions whose prompt shows one random memory.")
    wandering_window: int = Field(500, ge=1, le=5000, description="Latest memories that random memories are drawn from.")
    wandering_eps: float = Field(0.3, gt=0, description="Distance within which DBSCAN joins two memories (AGA's code: 0.3).")
    wandering_min_samples: int = Field(2, ge=1, description="Fewest memories of a DBSCAN cluster (AGA's code: 2).")
    instinct: Literal["rules", "minimal"] = Field(
        "rules",
        description="What answers without a model: `rules`, or `minimal`, which only follows the routine.",
    )
    by_instinct: tuple[str, ...] | None = Field(
        None,
        description="Names of [prompts](prompts.md#the-questions) or kinds of question that instinct answers even with a "
        "model. If none, the model file decides.",
    )
    exchanges: tuple[Path, ...] = Field((), description="Folders with further [exchanges](mods.md#exchanges).")
    asked: Literal["fitting", "players", "all"] = Field(
        "fitting",
        description="Which [kinds of question](models.md#what-a-model-is-asked) the model is asked: what this machine has time"
        " for (`fitting`; all but `by_instinct` where that is set), only answers to `players`, or `all`.",
    )
    game_speed: float = Field(60.0, gt=0, description="Game seconds per second of your game (`npc/time/scale`), for `asked`.")
    tokens_per_game_hour: int = Field(
        0,
        ge=0,
        description="Tokens per game hour that all minds share equally; 0 for no limit. Minds near a player are exempt.",
    )
    tokens_kept_hours: int = Field(
        8,
        ge=0,
        le=1000,
        description="Game hours that an unspent share is kept.",
    )
    vision_radius_m: float = Field(8.0, gt=0, description="Metres within which a person notices things (GA's code: 8 tiles).")
    attention_bandwidth: int = Field(8, ge=1, description="Most new events that a mind takes in at once, nearest first (GA's code: 8).")
    needs: bool = Field(True, description="Whether NPCs have [needs](minds.md#needs-and-mood) (Humanoid Agents).")
    food_per_hour: float = Field(0.6, ge=0, le=10, description="Points of 10 by which food empties per waking game hour.")
    rest_per_hour: float = Field(0.5, ge=0, le=10, description="The same for rest: a day of 16 hours takes 8.")
    company_per_hour: float = Field(0.4, ge=0, le=10, description="The same for company.")
    fun_per_hour: float = Field(0.3, ge=0, le=10, description="The same for fun.")
    health_per_hour: float = Field(0.2, ge=0, le=10, description="The same for health.")
    asleep_share: float = Field(0.3, ge=0, le=1, description="Share of these while asleep.")
    sleep_fills: float = Field(1.2, ge=0, le=10, description="Points by which sleep fills rest per game hour.")
    sleep_heals: float = Field(0.3, ge=0, le=10, description="Points by which sleep fills health per game hour.")
    talk_fills: float = Field(20.0, ge=0, le=600, description="Points by which talking fills company per game hour; a talk takes minutes.")
    need_low: float = Field(3.0, ge=0, le=10, description="Points below which a need stands in prompts.")
    need_empty: float = Field(1.0, ge=0, le=10, description="Points at which an NPC sees to a need once its step is over.")
    memories_kept: int = Field(
        20_000, ge=100, description="Memories of one NPC beyond which it forgets in its sleep those that matter least."
    )
    retention: int = Field(
        8, ge=0, description="An event is noticed again if it is not among this many latest observations (GA's code: 8)."
    )
    recency_decay: float = Field(0.995, gt=0, le=1, description="Factor of recency per game hour since the last access (GA, 4.1).")
    recency_weight: float = Field(1.0, ge=0, description="Weight of recency in the retrieval score (GA, 4.1).")
    importance_weight: float = Field(1.0, ge=0, description="Weight of importance in the retrieval score (GA, 4.1).")
    relevance_weight: float = Field(1.0, ge=0, description="Weight of relevance in the retrieval score (GA, 4.1).")
    retrieval_count: int = Field(20, ge=1, description="Memories retrieved for a question.")
    observation: bool = Field(True, description="Whether NPCs remember what they see (off: an ablation of GA, 6).")
    reflection: bool = Field(True, description="Whether NPCs reflect (off: an ablation of GA, 6).")
    planning: bool = Field(True, description="Whether NPCs plan, or follow their routine (off: an ablation of GA, 6).")
    reflection_threshold: int = Field(150, ge=1, description="Sum of importance that starts a reflection (GA, 4.2).")
    identity_hours: int = Field(8, ge=0, description="Fewest game hours between two revisions of the identity by reflections.")
    plan_strokes_min: int = Field(5, ge=1, description="Fewest broad strokes of a day (GA, 4.3).")
    plan_strokes_max: int = Field(8, ge=1, description="Most broad strokes of a day that a model plans (GA, 4.3).")
    step_minutes_min: int = Field(5, ge=1, description="Shortest step of a plan, in game minutes (GA, 4.3).")
    step_minutes_max: int = Field(15, ge=1, description="Longest step that asks for one address, in game minutes (GA, 4.3).")
    max_retries_per_step: int = Field(2, ge=0, description="Other places that are tried after an action fails.")
    places_offered: int = Field(7, ge=1, le=64, description="Most places offered for one action, best first.")
    commands_offered: int = Field(20, ge=1, le=64, description="Most commands offered at once in a household, best first.")
    commands_per_activity: int = Field(40, ge=1, description="Most commands for one activity in a household.")
    prompt_tokens: int = Field(1500, ge=128, description="Most tokens of a prompt.")
    talk_memories: int = Field(
        12,
        ge=1,
        le=64,
        description="Most memories shown for a line that a player can hear.",
    )
    talk_memories_far: int = Field(3, ge=1, le=64, description="The same for a line that no player can hear.")
    talk_lines_max: int = Field(8, ge=2, description="Most lines of a conversation between NPCs (GA's code: 16).")
    talk_line_s: int = Field(15, ge=1, description="Game seconds that one spoken line takes.")
    talk_cooldown_min: int = Field(
        120,
        ge=0,
        description="Game minutes before an NPC starts another talk with the same person, except by appointment.",
    )
    repeat_similarity: float = Field(0.95, gt=0, le=1, description="Cosine above which a line or a step counts as a repetition.")
    repeat_window: int = Field(6, ge=2, description="Latest steps that a new one is compared with.")
    path_wait_s: float = Field(5.0, gt=0, description="Wall seconds that a mind waits for a path result of the game.")

    def uses(self, part: Part) -> bool:
        """Whether a part that makes minds affordable is on."""
        chosen: bool | None = getattr(self, part)
        return self.profile == "affordable" if chosen is None else chosen


class Settings(BaseSettings):
    """All settings. Create them with `load_settings`, which turns pydantic's ValidationError into `BadInput`."""

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
    """Loads settings from `sections` (the options of a command), the environment and `file`. Raises BadInput with all mistakes."""
    if file is not None and not file.is_file():
        raise BadInput(f"There is no settings file {str(file)!r}.", "Name an existing TOML file, or leave --config out.")

    class FromFile(Settings):
        model_config = SettingsConfigDict(toml_file=file or DEFAULT_FILE)

    try:
        return FromFile(**sections)  # type: ignore[arg-type]
    except ValidationError as error:
        lines = [f"Setting {'.'.join(str(part) for part in e['loc'])} = {e.get('input')!r}: {e['msg']}." for e in error.errors()]
        raise BadInput("\n".join(lines), "docs/settings.md lists every setting.") from error
    except ValueError as error:  # tomllib's TOMLDecodeError
        raise BadInput(f"The settings file {str(file or DEFAULT_FILE)!r} is not TOML: {error}.", "Correct the line it names.") from error

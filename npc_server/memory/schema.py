"""The tables of a save, version by version. Released statements are never edited: a change is a new version with a migration."""

from __future__ import annotations

VERSION_1 = (
    # The description of the save: one JSON value for each field of meta.SaveMeta.
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # The town and the personas, as they were sent.
    """CREATE TABLE documents (
        kind TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (kind, name))""",
    "CREATE TABLE people (npc TEXT PRIMARY KEY, name TEXT NOT NULL, seed INTEGER NOT NULL, state TEXT NOT NULL)",
    # `topic` is one of records.MemoryTopic. `key` is the name under which the game added a memory, and `doubt` why an insight is in doubt.
    """CREATE TABLE memories (
        npc TEXT NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
        created INTEGER NOT NULL, last_access INTEGER NOT NULL, importance INTEGER NOT NULL,
        subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL,
        source TEXT NOT NULL, source_person TEXT NOT NULL, address TEXT NOT NULL, topic TEXT NOT NULL DEFAULT 'other',
        key TEXT NOT NULL DEFAULT '', doubt TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (npc, id))""",
    # What was added, edited and deleted from outside. A deleted memory keeps its rows here.
    """CREATE TABLE memory_changes (
        id INTEGER PRIMARY KEY, npc TEXT NOT NULL, memory INTEGER NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL,
        "by" TEXT NOT NULL, former_text TEXT NOT NULL, former_importance INTEGER NOT NULL)""",
    "CREATE INDEX memory_changes_by_memory ON memory_changes (npc, memory)",
    # float32, little endian.
    """CREATE TABLE vectors (
        npc TEXT NOT NULL, id INTEGER NOT NULL, vector BLOB NOT NULL,
        PRIMARY KEY (npc, id),
        FOREIGN KEY (npc, id) REFERENCES memories (npc, id) ON DELETE CASCADE)""",
    """CREATE TABLE evidence (
        npc TEXT NOT NULL, memory INTEGER NOT NULL, rests_on INTEGER NOT NULL,
        PRIMARY KEY (npc, memory, rests_on),
        FOREIGN KEY (npc, memory) REFERENCES memories (npc, id) ON DELETE CASCADE,
        FOREIGN KEY (npc, rests_on) REFERENCES memories (npc, id) ON DELETE CASCADE)""",
    "CREATE INDEX evidence_rests_on ON evidence (npc, rests_on)",
    # With `does`, `sentence` and `emoji` a step is ready: the model is not asked when it is due. `origin` is one of records.PlanOrigin and
    # `kind` one of records.StepKind. `command` is a records.PlannedCommand as JSON. `people` says as JSON with whom an appointment is.
    """CREATE TABLE plan_steps (
        npc TEXT NOT NULL, id INTEGER NOT NULL, level TEXT NOT NULL, parent INTEGER NOT NULL,
        start INTEGER NOT NULL, "end" INTEGER NOT NULL, text TEXT NOT NULL, address TEXT NOT NULL,
        status TEXT NOT NULL, source TEXT NOT NULL,
        does TEXT NOT NULL DEFAULT '', sentence TEXT NOT NULL DEFAULT '', emoji TEXT NOT NULL DEFAULT '',
        origin TEXT NOT NULL DEFAULT 'planned', kind TEXT NOT NULL DEFAULT 'activity', command TEXT NOT NULL DEFAULT '',
        people TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (npc, id))""",
    "CREATE INDEX plan_steps_by_time ON plan_steps (npc, start)",
    # `code` says why an action failed: one of records.OutcomeReason. `seen_as` is what others see of it, and `talks_with` says as JSON with
    # whom somebody talks during it.
    """CREATE TABLE actions (
        id TEXT PRIMARY KEY, npc TEXT NOT NULL, sentence TEXT NOT NULL, address TEXT NOT NULL, emoji TEXT NOT NULL,
        start INTEGER NOT NULL, "end" INTEGER NOT NULL, object_action TEXT NOT NULL, object_state TEXT NOT NULL,
        object_state_after TEXT NOT NULL, source TEXT NOT NULL,
        ended INTEGER, outcome TEXT, reason TEXT NOT NULL DEFAULT '', code TEXT,
        seen_as TEXT NOT NULL DEFAULT '', talks_with TEXT NOT NULL DEFAULT '')""",
    "CREATE INDEX actions_by_time ON actions (npc, start)",
    # The game's events that no mind has handled yet. An event is acknowledged once it is stored here.
    """CREATE TABLE inbox (
        epoch INTEGER NOT NULL, seq INTEGER NOT NULL, npc TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        done INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (epoch, seq))""",
    "CREATE INDEX inbox_waiting ON inbox (epoch, seq) WHERE done = 0",
    "CREATE TABLE nodes (address TEXT PRIMARY KEY, position INTEGER NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL)",
    """CREATE TABLE known (
        npc TEXT NOT NULL, address TEXT NOT NULL, state TEXT NOT NULL, seen_at INTEGER NOT NULL,
        PRIMARY KEY (npc, address))""",
    """CREATE TABLE calls (
        id INTEGER PRIMARY KEY, npc TEXT NOT NULL, stage TEXT NOT NULL, at INTEGER NOT NULL,
        prompt_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, reply_tokens INTEGER NOT NULL,
        wall_ms REAL NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL)""",
    # Lifestyle Policies. `needs` and `steps` are JSON; `vector` is float32, little endian, of the activity.
    """CREATE TABLE policies (
        owner TEXT NOT NULL, activity TEXT NOT NULL, needs TEXT NOT NULL, minutes INTEGER NOT NULL, steps TEXT NOT NULL,
        worked INTEGER NOT NULL, failed INTEGER NOT NULL, usable INTEGER NOT NULL, used INTEGER NOT NULL, failed_at INTEGER NOT NULL,
        vector BLOB NOT NULL, PRIMARY KEY (owner, activity, needs, steps))""",
    # Social Memory, one row for each ordered pair.
    """CREATE TABLE social (
        npc TEXT NOT NULL, other TEXT NOT NULL, relation TEXT NOT NULL, feeling TEXT NOT NULL, "between" TEXT NOT NULL,
        closeness INTEGER NOT NULL, upto INTEGER NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (npc, other))""",
    # A view for people who use the sqlite3 shell.
    """CREATE VIEW memories_readable AS
        SELECT npc, id, kind, datetime(created, 'unixepoch') AS created, datetime(last_access, 'unixepoch') AS last_access,
               importance, text, source, source_person, address
        FROM memories""",
)

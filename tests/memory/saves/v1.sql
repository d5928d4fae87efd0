-- A save of version 1, as `.dump` writes it. Never edited.
PRAGMA application_id = 1313882963;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'npc-server','0001_first_tables','2026-01-01 00:00:00.000000+00:00');
CREATE TABLE actions (
        id TEXT PRIMARY KEY, npc TEXT NOT NULL, sentence TEXT NOT NULL, address TEXT NOT NULL, emoji TEXT NOT NULL,
        start INTEGER NOT NULL, "end" INTEGER NOT NULL, object_action TEXT NOT NULL, object_state TEXT NOT NULL,
        object_state_after TEXT NOT NULL, source TEXT NOT NULL,
        ended INTEGER, outcome TEXT, reason TEXT NOT NULL DEFAULT '', code TEXT,
        seen_as TEXT NOT NULL DEFAULT '', talks_with TEXT NOT NULL DEFAULT '');
INSERT INTO "actions" VALUES('ada/11','ada','Ada is talking with Ben Hale','millbrook:cafe','💬',36000,36120,'','','','instinct',NULL,NULL,'',NULL,'is talking with Ben Hale','["ben"]');
CREATE TABLE calls (
        id INTEGER PRIMARY KEY, npc TEXT NOT NULL, stage TEXT NOT NULL, at INTEGER NOT NULL,
        prompt_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, reply_tokens INTEGER NOT NULL,
        wall_ms REAL NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE documents (
        kind TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (kind, name));
INSERT INTO "documents" VALUES('town','town.yaml',0,'name: Millbrook
');
CREATE TABLE evidence (
        npc TEXT NOT NULL, memory INTEGER NOT NULL, rests_on INTEGER NOT NULL,
        PRIMARY KEY (npc, memory, rests_on),
        FOREIGN KEY (npc, memory) REFERENCES memories (npc, id) ON DELETE CASCADE,
        FOREIGN KEY (npc, rests_on) REFERENCES memories (npc, id) ON DELETE CASCADE);
INSERT INTO "evidence" VALUES('ada',2,1);
CREATE TABLE inbox (
        epoch INTEGER NOT NULL, seq INTEGER NOT NULL, npc TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        done INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (epoch, seq));
INSERT INTO "inbox" VALUES(1,1,'ada','perception','{"npc":"ada","kind":"person","subject":"ben","text":"waves","address":"millbrook:cafe","distance":2.0,"at":36000}',0);
CREATE TABLE known (
        npc TEXT NOT NULL, address TEXT NOT NULL, state TEXT NOT NULL, seen_at INTEGER NOT NULL,
        PRIMARY KEY (npc, address));
CREATE TABLE memories (
        npc TEXT NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
        created INTEGER NOT NULL, last_access INTEGER NOT NULL, importance INTEGER NOT NULL,
        subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL,
        source TEXT NOT NULL, source_person TEXT NOT NULL, address TEXT NOT NULL, topic TEXT NOT NULL DEFAULT 'other',
        key TEXT NOT NULL DEFAULT '', doubt TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (npc, id));
INSERT INTO "memories" VALUES('ada',1,'seed','Ada Moss bakes.',0,0,8,'','','','known','','','other','','');
INSERT INTO "memories" VALUES('ada',2,'observation','Ben waves.',35000,35500,2,'Ben','waves','','seen','','millbrook:cafe','other','','It rests on memory 3, which was deleted.');
CREATE TABLE memory_changes (
        id INTEGER PRIMARY KEY, npc TEXT NOT NULL, memory INTEGER NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL,
        "by" TEXT NOT NULL, former_text TEXT NOT NULL, former_importance INTEGER NOT NULL);
INSERT INTO "memory_changes" VALUES(1,'ada',3,'deleted',36000,'game','The king is dead.',9);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO "meta" VALUES('town','"Millbrook"');
INSERT INTO "meta" VALUES('seed','7');
INSERT INTO "meta" VALUES('epoch','1');
INSERT INTO "meta" VALUES('last_seq','1');
INSERT INTO "meta" VALUES('now','36000');
CREATE TABLE nodes (address TEXT PRIMARY KEY, position INTEGER NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE people (npc TEXT PRIMARY KEY, name TEXT NOT NULL, seed INTEGER NOT NULL, state TEXT NOT NULL);
INSERT INTO "people" VALUES('ada','Ada Moss',11,'{"address":"millbrook:cafe","action":null,"step":0,"actions":0,"attempt":0,"avoid":[],"talk":"","talked":[],"told":[],"exchanges":[],"called":[],"summary":"","currently":"","revised":0,"needs":{"food":2.5,"rest":8.0,"company":8.0,"fun":8.0,"health":8.0},"needs_at":36000,"mood":{"emotion":"happy","strength":4.0,"at":36000},"importance_since":0,"living":[],"tokens_left":null}');
INSERT INTO "people" VALUES('ben','Ben Hale',12,'');
CREATE TABLE plan_steps (
        npc TEXT NOT NULL, id INTEGER NOT NULL, level TEXT NOT NULL, parent INTEGER NOT NULL,
        start INTEGER NOT NULL, "end" INTEGER NOT NULL, text TEXT NOT NULL, address TEXT NOT NULL,
        status TEXT NOT NULL, source TEXT NOT NULL,
        does TEXT NOT NULL DEFAULT '', sentence TEXT NOT NULL DEFAULT '', emoji TEXT NOT NULL DEFAULT '',
        origin TEXT NOT NULL DEFAULT 'planned', kind TEXT NOT NULL DEFAULT 'activity', command TEXT NOT NULL DEFAULT '',
        people TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (npc, id));
INSERT INTO "plan_steps" VALUES('ada',1,'hour',0,36000,39600,'bake with Ben','millbrook:cafe','ahead','instinct','','','','agreed','activity','','{"ids":["ben"]}');
CREATE TABLE policies (
        owner TEXT NOT NULL, activity TEXT NOT NULL, needs TEXT NOT NULL, minutes INTEGER NOT NULL, steps TEXT NOT NULL,
        worked INTEGER NOT NULL, failed INTEGER NOT NULL, usable INTEGER NOT NULL, used INTEGER NOT NULL, failed_at INTEGER NOT NULL,
        vector BLOB NOT NULL, PRIMARY KEY (owner, activity, needs, steps));
INSERT INTO "policies" VALUES('','having lunch','[]',30,'[]',2,0,1,0,-1,X'0000803F');
CREATE TABLE social (
        npc TEXT NOT NULL, other TEXT NOT NULL, relation TEXT NOT NULL, feeling TEXT NOT NULL, "between" TEXT NOT NULL,
        closeness INTEGER NOT NULL, upto INTEGER NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (npc, other));
INSERT INTO "social" VALUES('ada','ben','friend','Ada likes Ben.','Ben waves at her.',6,2,100);
CREATE TABLE vectors (
        npc TEXT NOT NULL, id INTEGER NOT NULL, vector BLOB NOT NULL,
        PRIMARY KEY (npc, id),
        FOREIGN KEY (npc, id) REFERENCES memories (npc, id) ON DELETE CASCADE);
INSERT INTO "vectors" VALUES('ada',1,X'9A99193FCDCC4C3F00000000');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX evidence_rests_on ON evidence (npc, rests_on);
CREATE INDEX plan_steps_by_time ON plan_steps (npc, start);
CREATE INDEX actions_by_time ON actions (npc, start);
CREATE INDEX memory_changes_by_memory ON memory_changes (npc, memory);
CREATE INDEX inbox_waiting ON inbox (epoch, seq) WHERE done = 0;
CREATE VIEW memories_readable AS
        SELECT npc, id, kind, datetime(created, 'unixepoch') AS created, datetime(last_access, 'unixepoch') AS last_access,
               importance, text, source, source_person, address
        FROM memories;
COMMIT;

"""A session is one open save with its clock, world and minds. `Host` opens sessions.

- `session.py`: the calls of a game on its open save; `events.py` stores what the game reports.
- `epoch.py`: everything between two loads; `open_slot.py` loads, saves and closes.
- `thinking.py`: when each mind thinks; `rollback.py` undoes a thought that fails.
- `dialogue.py` and `talks.py`: conversations with players and between NPCs; `talk_context.py` sends a chosen offer to the game.
- `paths.py`: path queries to the game, and the path results that minds wait for.
- `apply_files.py` and `watch_files.py`: edited persona and town files.
"""

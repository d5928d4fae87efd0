"""The save, which is one SQLite file; all SQL; and the memory stream in RAM, with its retrieval."""

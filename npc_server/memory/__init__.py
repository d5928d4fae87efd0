"""The save: one SQLite file, everything that touches it, and the memory stream in RAM."""

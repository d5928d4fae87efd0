"""Starts npc-server from its bundle. The packages are found here and nowhere else."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "packages"))

from npc_server.cli import main

main()

from __future__ import annotations

import os
import subprocess
import sys


def test_commands_print_every_name_where_the_console_has_an_old_code_page() -> None:
    code = "from npc_server.platform.console import print_utf8; print_utf8(); print('Dvořák … 你好')"
    old = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=old)
    assert done.stdout.decode("utf-8").strip() == "Dvořák … 你好"

@echo off
rem Runs npc-server with the Python of this folder, wherever the folder lies. The game itself starts python.exe.
rem -I: no PYTHON... variable of the player, no packages of the player, nothing from the working folder.
"%~dp0python\python.exe" -I "%~dp0python\bin\npc-server" %*

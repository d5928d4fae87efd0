# make demo   installs what playing needs, without a compiler, and runs the town
# make test   compiles llama.cpp, installs everything and runs all tests

.PHONY: demo test install setup godot has-godot bridge lint types imports unit protos generated tour release bench help
PY := .venv/bin/python
NPC := .venv/bin/npc-server

help:
	@sed -n 's/^# make/make/p' Makefile

demo: install
	@sh scripts/bridge_if_godot.sh
	$(NPC) demo

# make install  installs what playing needs, with a prebuilt llama.cpp, so without a compiler
install:
	@sh scripts/setup.sh play

# make setup  installs the locked packages, and makes the models that need no download from a hub. GPU=vulkan builds for graphics cards, CPU=v3 for other processors, too
setup:
	@sh scripts/setup.sh

# make godot  brings Godot 4.6 into .godot-engine (Debian and its kin)
godot:
	@bash scripts/get_godot.sh .godot-engine

# make bridge builds the Godot addon's library
bridge: has-godot setup
	$(PY) scripts/build_bridge.py

# What the setup takes minutes for would be of no use without Godot.
has-godot:
	@sh scripts/find_godot.sh >/dev/null || { echo "There is no Godot. Install Godot 4.4 or later, set GODOT to it, or on Debian run make godot." >&2; exit 1; }

test: setup lint types imports
	@sh scripts/godot_for_tests.sh
	$(PY) -m pytest -m "not slow and not kill" -n 3 --dist loadgroup
	$(PY) -m pytest -m "kill and not slow" -n 2 --dist loadfile

# make unit   only the quick tests
unit:
	$(PY) -m pytest -m "not slow and not godot and not kill and not model and not real_model"

lint:
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types:
	$(PY) -m mypy npc_server npc_eval tests
	MYPYPATH=godot_project/addons/npc/bridge $(PY) -m mypy scripts godot_project/addons/npc/bridge

imports:
	.venv/bin/lint-imports

# make protos regenerates npc_server/v1 from the contract
protos:
	$(PY) -m npc_server.rpc.regenerate

# make generated  makes the schemas, the page of commands and the demo's town again
generated: protos
	$(PY) -m npc_server.world.town_schema > npc_server/data/schema/town.schema.json
	$(NPC) persona schema > npc_server/data/schema/persona.schema.json
	$(NPC) policy schema > npc_server/data/schema/policies.schema.json
	$(PY) -m npc_eval.commands.reference > docs/commands.md
	$(PY) scripts/copy_town.py
	$(PY) scripts/make_town_scenes.py

# make tour   plays the demo and takes the pictures of the docs anew. MODEL=FILE lets a language model answer in them
tour: has-godot
	$(PY) scripts/tour.py $(if $(MODEL),--model "$(MODEL)")

# make release  makes the addon's zip, the packages and their checksums in dist/. BUNDLES=FOLDER adds the bundles in it
release: install
	$(PY) scripts/release.py $(if $(BUNDLES),--bundles "$(BUNDLES)")

# make bench  prints the speed figures
bench: setup
	$(NPC) bench

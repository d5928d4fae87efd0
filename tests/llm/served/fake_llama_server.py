"""Stands in for llama-server: it answers what the model process asks one, and writes down what it was asked.

Its tokens are bytes. A prompt with `hang` begins to answer and never ends, the first time; one with `die` ends the program.
Each letter of a text is as likely as every other, and `?` is not likely. A connection on which it answered a prompt is closed at the
next one. With FAKE_SLOTS it has so many slots, and saves and restores them.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from array import array
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from pathlib import Path
from typing import Any

REPLY = ("Good ", "morning", "!")
hung = set[str]()
slots: list[list[int]] = [[] for _ in range(int(os.environ.get("FAKE_SLOTS", "0")))]
"""The tokens that each has read."""
busy = set[int]()
HEAD, TAIL = b"state of a slot\n", b"\nnumbers"
writing = threading.Lock()


def note(what: str, **more: Any) -> None:
    with writing, Path(os.environ["FAKE_LOG"]).open("a") as log:
        log.write(json.dumps({"what": what, "pid": os.getpid(), **more}) + "\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    is_over = False

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path != "/slots":
            return self.whole({"status": "ok"})
        self.whole([{"id": slot, "is_processing": slot in busy} for slot in range(len(slots))], 200 if slots else 501)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers["authorization"] != f"Bearer {os.environ['LLAMA_API_KEY']}":
            return self.whole({"error": "no"}, 401)
        if self.path == "/tokenize":
            return self.whole({"tokens": list(body["content"].encode())})
        if self.path.startswith("/slots/"):
            return self.slot(body["filename"])
        if self.is_over:
            self.close_connection = True
            return
        self.is_over = True
        prompt = bytes(token for token in body["prompt"] if token < 256).decode("utf-8", "replace")
        what = "scored" if "n_probs" in body else "asked"
        note(what, prompt=prompt, body={key: value for key, value in body.items() if key != "prompt"})
        if "die" in prompt:
            os._exit(3)
        if "n_probs" in body:
            return self.score(body, prompt)
        read = self.read(body)
        if slots and not body.get("stream"):
            return self.whole(read)
        if not body.get("stream"):
            return self.whole({"timings": {"prompt_per_second": 50.0, "predicted_per_second": 5.0, "predicted_per_token_ms": 200.0}})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        if "hang" in prompt and prompt not in hung:
            hung.add(prompt)
            self.event({"content": "Well", "stop": False})
            busy.add(read.get("id_slot", 0))
            note("hangs", slot=read.get("id_slot"))
            while self.event({"content": "", "stop": False}):  # until the asker leaves
                threading.Event().wait(0.01)
            return note("left")
        for piece in REPLY:
            self.event({"content": piece, "stop": False, **read, "id_slot": -1})
        last = {"content": "", "stop": True, "stop_type": "eos", "tokens_evaluated": len(prompt), "tokens_predicted": 3}
        self.event({**last, "timings": {"cache_n": 2}, **read})
        return note("answered", prompt=prompt)

    def read(self, body: dict[str, Any]) -> dict[str, Any]:
        """Reads a prompt in the slot that has most of it."""
        if not slots:
            return {}
        common = [sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(slot, body["prompt"], strict=False))) for slot in slots]
        chosen = body.get("id_slot", max(range(len(slots)), key=lambda it: (common[it], -len(slots[it]))))
        slots[chosen] = body["prompt"]
        return {"id_slot": chosen, "timings": {"cache_n": common[chosen]}}

    def slot(self, name: str) -> None:
        at, action = self.path.removeprefix("/slots/").split("?action=")
        file = Path(sys.argv[sys.argv.index("--slot-save-path") + 1]) / name
        note(action, slot=int(at))
        if "FAKE_REFUSES" in os.environ and action == "restore":
            return self.whole({"error": "no"}, 400)
        if action == "save":
            file.write_bytes(HEAD + array("i", slots[int(at)]).tobytes() + TAIL)
        else:
            slots[int(at)] = list(array("i", file.read_bytes().removeprefix(HEAD).removesuffix(TAIL)))
            if "FAKE_DIES" in os.environ and len(slots[int(at)]) > 100:
                os._exit(3)
        self.whole({"id_slot": int(at)})

    def score(self, body: dict[str, Any], prompt: str) -> None:
        if "FAKE_IS_OLD" in os.environ:
            return self.whole({"content": "?", "tokens_evaluated": 1})
        ((token, _),) = body["logit_bias"]
        chance = {"id": token + ("be rude" in prompt), "logprob": -1000.0 if chr(token) == "?" else -0.5}
        self.whole({"completion_probabilities": [chance], "tokens_evaluated": len(body["prompt"]), "timings": {"cache_n": 2}})

    def event(self, data: dict[str, Any]) -> bool:
        try:
            self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        except OSError:
            return False
        return True

    def whole(self, answer: Any, status: int = 200) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    note("started", arguments=sys.argv[1:])
    if "refuses" in " ".join(sys.argv):
        sys.exit(1)
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()

"""Stands in for llama-server: it answers what the model process asks one, and writes down what it was asked.

Its tokens are bytes. A prompt with `hang` begins to answer and never ends, the first time; one with `die` ends the program.
Each letter of a text is as likely as every other, and `?` is not likely.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

REPLY = ("Good ", "morning", "!")
hung = set[str]()
writing = threading.Lock()


def note(what: str, **more: Any) -> None:
    with writing, Path(os.environ["FAKE_LOG"]).open("a") as log:
        log.write(json.dumps({"what": what, "pid": os.getpid(), **more}) + "\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.whole({"status": "ok"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers["authorization"] != f"Bearer {os.environ['LLAMA_API_KEY']}":
            return self.whole({"error": "no"}, 401)
        if self.path == "/tokenize":
            return self.whole({"tokens": list(body["content"].encode())})
        prompt = bytes(token for token in body["prompt"] if token < 256).decode("utf-8", "replace")
        what = "scored" if "n_probs" in body else "asked"
        note(what, prompt=prompt, body={key: value for key, value in body.items() if key != "prompt"})
        if "die" in prompt:
            os._exit(3)
        if "n_probs" in body:
            return self.score(body, prompt)
        if not body.get("stream"):
            return self.whole({"timings": {"prompt_per_second": 50.0, "predicted_per_second": 5.0, "predicted_per_token_ms": 200.0}})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        if "hang" in prompt and prompt not in hung:
            hung.add(prompt)
            self.event({"content": "Well", "stop": False})
            note("hangs")
            while self.event({"content": "", "stop": False}):  # until the asker leaves
                threading.Event().wait(0.01)
            return note("left")
        for piece in REPLY:
            self.event({"content": piece, "stop": False})
        last = {"content": "", "stop": True, "stop_type": "eos", "tokens_evaluated": len(prompt), "tokens_predicted": 3}
        self.event({**last, "timings": {"cache_n": 2}})
        return note("answered", prompt=prompt)

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

    def whole(self, answer: dict[str, Any], status: int = 200) -> None:
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

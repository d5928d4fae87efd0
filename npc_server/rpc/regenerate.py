"""Generates npc_server/v1 from the proto: `python -m npc_server.rpc.regenerate`. This tool needs grpcio-tools and mypy-protobuf."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from npc_server.errors import NpcServerError

PROTO = "npc_server/v1/npc.proto"
ROOT = Path(__file__).resolve().parents[2]


def regenerate(into: Path, root: Path = ROOT) -> list[Path]:
    """Writes the stubs of `root`'s proto under `into`, and returns their paths. Raises NpcServerError when protoc refuses the proto."""
    from grpc_tools import protoc

    source = root / "protos"
    # protoc looks for its plugins on the PATH. They are in the folder of the Python that runs this.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    outs = [f"--{kind}_out={into}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
    own = Path(protoc.__file__).parent / "_proto"  # Google's own, such as descriptor.proto
    if protoc.main(["protoc", f"-I{source}", f"-I{own}", *outs, str(source / PROTO)]) != 0:
        raise NpcServerError(f"protoc refused {source / PROTO}.", "Fix the line that it names above.")
    return sorted((into / PROTO).parent.glob("npc_pb2*"))


if __name__ == "__main__":
    for path in regenerate(ROOT):
        print(path.relative_to(ROOT))  # noqa: T201

"""Checkpoints of training: the network, the optimizer and the progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from models.nano.network import Network, Shape

FOLDER = Path(__file__).parent / "checkpoints"


def optimizer_of(network: Network, rate: float) -> torch.optim.AdamW:
    wide = [p for p in network.parameters() if p.ndim > 1]
    narrow = [p for p in network.parameters() if p.ndim <= 1]
    groups = [{"params": wide, "weight_decay": 0.05}, {"params": narrow, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95), fused=True)


def set_rate(optimizer: torch.optim.AdamW, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate


def make_new(folder: Path) -> None:
    """Makes the folder of a new training. Raises FileExistsError if it has a checkpoint."""
    if (folder / "checkpoint.pt").exists():
        raise FileExistsError(f"{folder} has a checkpoint; `models.nano.train` without --from goes on there, or name another --folder")
    folder.mkdir(parents=True, exist_ok=True)


def save(path: Path, network: Network, optimizer: torch.optim.AdamW | None, state: Mapping[str, float]) -> None:
    part = path.with_suffix(".part")
    learned = None if optimizer is None else optimizer.state_dict()
    kept = {"shape": asdict(network.shape), "weights": network.state_dict(), "optimizer": learned, "state": dict(state)}
    torch.save(kept, part)
    part.replace(path)


def load(path: Path) -> tuple[Network, dict[str, Any]]:
    kept = torch.load(path, map_location="cpu", weights_only=True)
    network = Network(Shape(**kept["shape"]))
    network.load_state_dict(kept["weights"])
    return network, kept

"""The table of noise kinds: what moves although nothing changed. Frequencies stand in noise.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from jobmonitor.demo.companies import System

Layer: TypeAlias = Literal["row", "line", "layout", "extra", "board"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseKind:
    """One way in which a payload moves without a change."""

    name: str
    layer: Layer
    within: tuple[System, ...]
    #: Probability per posting and day; for layer "board", per board and day.
    rate: float
    about: str


@cache
def noise_kinds() -> dict[str, NoiseKind]:
    """All kinds by name, in the order of the data file."""
    text = (resources.files("jobmonitor.demo") / "noise.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)["kinds"]
    return {
        name: NoiseKind(
            name=name, layer=row["layer"], within=tuple(row["within"]), rate=row["rate"], about=row["about"]
        )
        for name, row in table.items()
    }


@cache
def posting_noise(system: System) -> tuple[NoiseKind, ...]:
    """The kinds that strike single postings of a system."""
    return tuple(kind for kind in noise_kinds().values() if system in kind.within and kind.layer != "board")


@cache
def board_noise(system: System) -> tuple[NoiseKind, ...]:
    """The kinds that strike a whole answer of a system."""
    return tuple(kind for kind in noise_kinds().values() if system in kind.within and kind.layer == "board")

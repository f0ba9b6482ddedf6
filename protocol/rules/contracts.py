"""What a deal asks for: "2xS3 + R4" is two sets of three and a run of four."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import groupby

import msgspec

from ..errors import ErrorCode, NotationError


class MeldKind(StrEnum):
    """The two kinds of melds."""

    SET = "set"
    RUN = "run"


class MeldSpec(msgspec.Struct, frozen=True, order=True):
    """One meld that a contract asks for: its kind and its least number of cards."""

    kind: MeldKind
    size: int

    def __str__(self) -> str:
        return f"{'S' if self.kind is MeldKind.SET else 'R'}{self.size}"


Contract = tuple[MeldSpec, ...]
"""All melds that must go down together, in the order of the rule text."""

_TERM = re.compile(r"(?:(\d+)\s*[x×*]\s*)?([SR])\s*(\d+)", re.IGNORECASE)


def parse_contract(text: str) -> Contract:
    """Read a contract.

    >>> [str(spec) for spec in parse_contract("2xS3 + R4")]
    ['S3', 'S3', 'R4']

    Raises:
        NotationError: the text is no contract (`bad_contract`).
    """
    specs: list[MeldSpec] = []
    for term in text.split("+"):
        match = _TERM.fullmatch(term.strip())
        if match is None:
            raise NotationError(
                f"{term.strip()!r} is not part of a contract: write S3 for a set of three, "
                "R4 for a run of four, joined as in 2xS3 + R4",
                ErrorCode.BAD_CONTRACT,
            )
        count, kind, size = match.groups()
        spec = MeldSpec(MeldKind.SET if kind in "Ss" else MeldKind.RUN, int(size))
        if spec.size < 2 or not 1 <= int(count or 1) <= 9:
            raise NotationError(
                f"{term.strip()!r} asks for no meld: a meld has two cards or more, "
                "and a contract names one to nine of a sort",
                ErrorCode.BAD_CONTRACT,
            )
        specs.extend([spec] * int(count or 1))
    return tuple(specs)


def format_contract(contract: Contract) -> str:
    """Write a contract as it is read.

    >>> format_contract(parse_contract("S3+S3+R4"))
    '2xS3 + R4'
    """
    terms = ((spec, sum(1 for _ in same)) for spec, same in groupby(contract))
    return " + ".join(f"{n}x{spec}" if n > 1 else str(spec) for spec, n in terms)


def contract_size(contract: Contract) -> int:
    """How many cards the contract takes at the least.

    >>> contract_size(parse_contract("2xS3 + R4"))
    10
    """
    return sum(spec.size for spec in contract)

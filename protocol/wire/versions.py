"""Protocol versions, capabilities, and what a name may look like."""

from __future__ import annotations

import re

VERSIONS = (1, 1)
"""Oldest and newest protocol version of this program."""

MINOR = 1
"""What has been added to the newest version: new messages, and fields with a default."""

CAPS: frozenset[str] = frozenset({"entropy", "hints"})
"""Capabilities this program has.

`hints`: decisions carry hints where the table allows them. `entropy`: the client will
add to the seed, and the game waits for it.
"""

_NAME = re.compile(r"\w[\w .'-]{0,23}")


def agree(ours: tuple[int, int], theirs: tuple[int, int]) -> int | None:
    """Return the newest version both ends speak, None if there is none.

    >>> agree((1, 3), (2, 5)), agree((1, 1), (2, 5))
    (3, None)
    """
    newest = min(ours[1], theirs[1])
    return newest if newest >= max(ours[0], theirs[0]) else None


def missing_caps(wanted: tuple[str, ...], ours: frozenset[str]) -> tuple[str, ...]:
    """Return the required capabilities (`+name`) that we do not have.

    >>> missing_caps(("hints", "+zip"), frozenset())
    ('zip',)
    """
    return tuple(cap[1:] for cap in wanted if cap.startswith("+") and cap[1:] not in ours)


def is_name(text: str) -> bool:
    """Whether a player or table may be called that.

    1 to 24 letters, digits, spaces and `_.'-`, the first a letter or digit, so
    that no name can move a terminal's cursor or look like a path.

    >>> is_name("Zoë 2"), is_name("../x"), is_name("")
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None and text == text.strip()

"""Writes protocol/wire/schema.json, the JSON Schema of every message, from the code.

    python docs/schema.py          rewrites it
    python docs/schema.py --check  exits 1 if it would change

A message is msgpack, not JSON; the schema describes the map it holds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, get_args

import msgspec

from hollywood.protocol.wire import VERSIONS, ClientMessage, ServerMessage
from hollywood.protocol.wire.versions import MINOR

FILE = Path(__file__).parent.parent / "protocol" / "wire" / "schema.json"


def main() -> int:
    """Rewrite or check the file."""
    text = msgspec.json.format(msgspec.json.encode(schema()), indent=1).decode() + "\n"
    if "--check" in sys.argv[1:]:
        return int(not FILE.exists() or FILE.read_text("utf-8") != text)
    FILE.write_text(text, "utf-8")
    return 0


def schema() -> dict[str, Any]:
    """One definition for each message and each value in one, and one for each side."""
    sides = {"ClientMessage": ClientMessage, "ServerMessage": ServerMessage}
    kinds = [kind for union in sides.values() for kind in get_args(union)]
    _, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    unions = {
        name: {"anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in get_args(union)]}
        for name, union in sides.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Hollywood rummy protocol {VERSIONS[1]}.{MINOR}",
        "description": "What a client or a server may send. Unknown fields are ignored.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in sides],
        "$defs": {**unions, **{name: parts[name] for name in sorted(parts)}},
    }


if __name__ == "__main__":
    sys.exit(main())

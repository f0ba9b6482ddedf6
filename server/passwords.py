"""Table passwords: kept as scrypt hashes, compared in constant time."""

from __future__ import annotations

import hashlib
import secrets

_N, _R, _P = 2**14, 8, 1
"""About 30 ms and 16 MiB a guess (RFC 7914, interactive use)."""

_SALT_SIZE = 16


def hash_password(password: str) -> str:
    """Return what is kept of a password: salt and hash as hex digits; "" of none."""
    if not password:
        return ""
    salt = secrets.token_bytes(_SALT_SIZE)
    return f"{salt.hex()}${_derive(password, salt).hex()}"


def is_password(password: str, kept: str) -> bool:
    """Whether that is the password of which this was kept. Slow on purpose."""
    salt, _, digest = kept.partition("$")
    return secrets.compare_digest(_derive(password, bytes.fromhex(salt)).hex(), digest)


def _derive(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=_N, r=_R, p=_P)

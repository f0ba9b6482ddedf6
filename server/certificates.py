"""TLS: what a server shows, and what a client trusts."""

from __future__ import annotations

import ssl
from pathlib import Path

from hollywood.protocol.errors import ErrorCode, HollywoodError


def server_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return what a server with that certificate (PEM, chain included) and key needs.

    Raises:
        HollywoodError: they cannot be read or do not belong together (`bad_certificate`).
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise HollywoodError(
            f"cannot use the certificate {str(certificate)!r} with the key {str(key)!r}: "
            f"{error.strerror or error}; give PEM files that belong together",
            ErrorCode.BAD_CERTIFICATE,
        ) from None
    return context

"""Whether a server may be asked by the name of a body for a newer one alone (RFC 9110, section 13)."""

from __future__ import annotations

import datetime as dt
import zlib

from jobmonitor.items import Validator

#: One of so many pages is read in full although a validator is known, to see whether validators can be trusted.
FULL_READ = 50


def is_read_in_full(fingerprint: str, at: dt.datetime) -> bool:
    """Whether it is this page's turn to be read in full: one page in `FULL_READ` on a day, each on a day of its own."""
    return zlib.crc32(f"{fingerprint} {at.date()}".encode()) % FULL_READ == 0


def contradiction(known: Validator, now: Validator) -> str | None:
    """Why a server's validators cannot be trusted: it gives two bodies the same name. None where they can.

    A weak ETag promises the same meaning and not the same bytes, so for it only other ids count.
    """
    names = (known.etag, now.etag) if known.etag or now.etag else (known.last_modified, now.last_modified)
    weak = (now.etag or "").startswith("W/")
    differs = known.ids != now.ids if weak else known.body_hash != now.body_hash
    if names[0] is None or names[0] != names[1] or not differs:
        return None
    return f"two bodies of {known.url} have one name, {names[0]}"

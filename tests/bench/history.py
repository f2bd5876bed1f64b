"""Makes a database's history longer, as if every posting had been edited many times before its present version."""

from __future__ import annotations

import psycopg

#: Contents and objects are named by the hash of their posting and number: none is shared.
_HASH = "encode(sha256(convert_to(v.posting_id || '/' || n, 'UTF8')), 'hex')"
_STEPS = (
    f"INSERT INTO content (hash, scheme, document) SELECT {_HASH}, c.scheme, c.document || n"
    " FROM version v JOIN content c ON c.hash = v.content_hash, generate_series(1, %(times)s) n",
    f"INSERT INTO object (hash, media_type, size, data) SELECT {_HASH}, o.media_type, o.size, o.data"
    " FROM version v JOIN object o ON o.hash = v.record_hash, generate_series(1, %(times)s) n",
    "UPDATE version SET number = number + %(times)s",
    "INSERT INTO version (posting_id, number, kind, content_hash, facts_hash, facts, record_hash, cleaning,"
    " valid_from, valid_to, run_id, locations)"
    f" SELECT v.posting_id, n, 'content', {_HASH}, v.facts_hash, v.facts, {_HASH}, v.cleaning,"
    " v.valid_from - (101 - n) * interval '1 day', v.valid_from - (100 - n) * interval '1 day', v.run_id, v.locations"
    " FROM version v, generate_series(1, %(times)s) n",
    "INSERT INTO event (id, kind, posting_id, posting, source, at, version, content)"
    " SELECT (SELECT max(id) FROM event) + row_number() OVER (), 'posting.content_changed', e.posting_id, e.posting,"
    " e.source, e.at, 1, e.content FROM event e, generate_series(1, %(times)s) n",
    "INSERT INTO page (run_id, source, channel, kind, url, state, status, attempts, ids, total, observed_at)"
    " SELECT run_id, source, channel, kind, url, state, status, attempts, ids, total,"
    " observed_at - n * interval '1 day' FROM page, generate_series(1, %(times)s) n",
)


def multiply(conninfo: str, factor: int) -> int:
    """Give every posting `factor` versions for each it has, with contents, records and pages; all versions now."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        with connection.transaction():
            # Versions are renumbered before the older ones are there: foreign keys look away.
            connection.execute("SET LOCAL session_replication_role = replica")
            for step in _STEPS:
                connection.execute(step, {"times": factor - 1})
        connection.execute("VACUUM ANALYZE")
        row = connection.execute("SELECT count(*) FROM version").fetchone()
        return int(row[0]) if row else 0

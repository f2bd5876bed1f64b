"""What can be said of a run now: one whose process died cannot write its own end."""

from __future__ import annotations

#: Seconds without a heartbeat after which a run without a live lease has ended; three beats.
SILENCE = 60

_SILENT = f"""state = 'running' AND heartbeat_at < clock_timestamp() - interval '{SILENCE} s' AND NOT EXISTS (
    SELECT FROM source_lease AS l WHERE l.run_id = run.id AND l.expires_at > clock_timestamp())"""

#: Stands where a query would name the table `run`.
RUNS = f"""(
    SELECT id, source, observed_at, started_at, finished_at, ledger,
        CASE WHEN {_SILENT} THEN 'interrupted' ELSE state END AS state,
        CASE WHEN {_SILENT} THEN 'no heartbeat since '
            || to_char(heartbeat_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC; the next run does its work'
            ELSE reason END AS reason
    FROM run
)"""  # noqa: S608

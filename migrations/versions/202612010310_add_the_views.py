"""Add the views: the public read surface

Revision ID: 8b1c5d0e7f42
Revises: 5f1de2c393a8
Create Date: 2026-12-01 03:10:00+00:00

Their text is kept here, not in the code: a released migration never changes, a newer view is a newer migration.
"""

from __future__ import annotations

from collections.abc import Sequence

from alembic import op

revision: str = "8b1c5d0e7f42"
down_revision: str | Sequence[str] | None = "5f1de2c393a8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

CURRENT_PROFILE = """
CREATE VIEW current_profile AS
SELECT
    p.reference AS posting,
    v.content_hash,
    e.contract,
    f.producer,
    e.degraded,
    e.empty,
    f.profile,
    f.evidence,
    f.ungrounded,
    g.model,
    g.prompt,
    f.created_at
FROM posting p
JOIN version v ON v.posting_id = p.id AND v.valid_to IS NULL
JOIN extraction e ON e.content_hash = v.content_hash AND e.profile_id IS NOT NULL
    AND NOT EXISTS (
        SELECT 1 FROM extraction newer
        WHERE newer.content_hash = e.content_hash AND newer.profile_id IS NOT NULL AND newer.contract > e.contract
    )
JOIN profile f ON f.id = e.profile_id
JOIN extraction_config g ON g.id = f.config_id
"""


def told(path: str, kind: str, cast: str) -> str:
    """The profile's value at `path`, or NULL where it is not of the JSON type `kind`: a view never fails on a row."""
    return f"CASE WHEN jsonb_typeof(f.profile #> '{{{path}}}') = '{kind}' THEN (f.profile #>> '{{{path}}}')::{cast} END"


CURRENT_POSTING = f"""
CREATE VIEW current_posting AS
SELECT
    p.reference AS posting,
    p.source,
    s.system,
    s.board,
    p.channel,
    p.native_id,
    p.title,
    p.url,
    COALESCE(p.employer, v.facts ->> 'employer') AS employer,
    p.opening_key,
    p.parent,
    p.state,
    r.opened_at,
    r.closed_at,
    p.first_observed_at,
    v.valid_from AS changed_at,
    p.posted_at,
    p.posted_precision,
    v.number AS version,
    v.content_hash,
    v.facts_hash,
    v.record_hash,
    c.scheme,
    v.locations,
    v.facts ->> 'department' AS department,
    v.facts ->> 'category' AS category,
    v.facts ->> 'employment_type' AS employment_type,
    v.facts ->> 'deadline' AS deadline,
    CASE o.recruit_type WHEN 'site' THEN v.recruit_type WHEN 'text' THEN t.recruit_type END AS recruit_type,
    o.recruit_type AS recruit_type_origin,
    CASE o.education WHEN 'site' THEN v.education_minimum WHEN 'text' THEN t.education_minimum END
        AS education_minimum,
    o.education AS education_minimum_origin,
    CASE o.full_time WHEN 'site' THEN v.full_time_required WHEN 'text' THEN t.full_time_required END
        AS full_time_required,
    o.full_time AS full_time_required_origin,
    CASE o.experience WHEN 'site' THEN v.experience_min WHEN 'text' THEN t.experience_min END AS experience_min_years,
    CASE o.experience WHEN 'site' THEN v.experience_max WHEN 'text' THEN t.experience_max END AS experience_max_years,
    o.experience AS experience_origin,
    CASE o.salary WHEN 'site' THEN v.salary_min WHEN 'text' THEN t.salary_min END AS salary_min,
    CASE o.salary WHEN 'site' THEN v.salary_max WHEN 'text' THEN t.salary_max END AS salary_max,
    CASE o.salary WHEN 'site' THEN v.salary_currency WHEN 'text' THEN t.salary_currency END AS salary_currency,
    CASE o.salary WHEN 'site' THEN v.salary_period WHEN 'text' THEN t.salary_period END AS salary_period,
    CASE o.salary WHEN 'site' THEN v.salary_months WHEN 'text' THEN t.salary_months END AS salary_months,
    CASE WHEN o.salary IS NULL THEN NULLIF(v.salary_unknown, 'none') END AS salary_unknown,
    o.salary AS salary_origin,
    CASE o.head_count WHEN 'site' THEN v.head_count WHEN 'text' THEN t.head_count END AS head_count,
    o.head_count AS head_count_origin,
    COALESCE(v.recruit_type <> t.recruit_type, false) AS recruit_type_disagrees,
    COALESCE(v.education_minimum <> t.education_minimum
        AND 'none' NOT IN (v.education_minimum, t.education_minimum), false) AS education_minimum_disagrees,
    COALESCE(v.full_time_required <> t.full_time_required, false) AS full_time_required_disagrees,
    h.site_experience AND h.text_experience AND (
        COALESCE(v.experience_min, 0) <> COALESCE(t.experience_min, 0)
        OR COALESCE(v.experience_max <> t.experience_max, false)
    ) AS experience_disagrees,
    h.site_salary AND h.text_salary AND (
        COALESCE(v.salary_min <> t.salary_min, false)
        OR COALESCE(v.salary_max <> t.salary_max, false)
        OR COALESCE(v.salary_period <> t.salary_period, false)
        OR COALESCE(v.salary_currency <> t.salary_currency, false)
    ) AS salary_disagrees,
    COALESCE(NULLIF(v.head_count, 0) <> t.head_count, false) AS head_count_disagrees,
    CASE WHEN c.released_at IS NULL THEN c.quarantine END AS quarantine,
    c.erased_at,
    e.contract,
    e.state AS profile_state,
    e.reason AS profile_reason,
    f.producer AS profile_producer
FROM posting p
JOIN source s ON s.key = p.source
JOIN version v ON v.posting_id = p.id AND v.valid_to IS NULL
JOIN content c ON c.hash = v.content_hash
LEFT JOIN presence r ON r.posting_id = p.id
    AND NOT EXISTS (
        SELECT 1 FROM presence later
        WHERE later.posting_id = r.posting_id AND (later.opened_at, later.id) > (r.opened_at, r.id)
    )
LEFT JOIN extraction e ON e.content_hash = v.content_hash
    AND NOT EXISTS (
        SELECT 1 FROM extraction better
        WHERE better.content_hash = e.content_hash
            AND (better.profile_id IS NOT NULL, better.contract) > (e.profile_id IS NOT NULL, e.contract)
    )
LEFT JOIN profile f ON f.id = e.profile_id
CROSS JOIN LATERAL (
    SELECT
        {told("recruit_type", "string", "text")} AS recruit_type,
        {told("education,minimum", "string", "text")} AS education_minimum,
        {told("education,full_time_required", "boolean", "boolean")} AS full_time_required,
        {told("experience,min_years", "number", "numeric")} AS experience_min,
        {told("experience,max_years", "number", "numeric")} AS experience_max,
        {told("salary,min", "number", "numeric")} AS salary_min,
        {told("salary,max", "number", "numeric")} AS salary_max,
        {told("salary,currency", "string", "text")} AS salary_currency,
        {told("salary,period", "string", "text")} AS salary_period,
        {told("salary,months", "number", "numeric")} AS salary_months,
        {told("head_count", "number", "numeric")} AS head_count
) t
CROSS JOIN LATERAL (
    SELECT
        COALESCE(v.experience_min > 0 OR v.experience_max IS NOT NULL, false) AS site_experience,
        COALESCE(t.experience_min > 0 OR t.experience_max IS NOT NULL, false) AS text_experience,
        v.salary_min IS NOT NULL OR v.salary_max IS NOT NULL AS site_salary,
        t.salary_min IS NOT NULL OR t.salary_max IS NOT NULL AS text_salary
) h
CROSS JOIN LATERAL (
    SELECT
        CASE WHEN v.recruit_type IS NOT NULL THEN 'site' WHEN t.recruit_type IS NOT NULL THEN 'text' END
            AS recruit_type,
        CASE WHEN v.education_minimum <> 'none' THEN 'site' WHEN t.education_minimum <> 'none' THEN 'text'
            WHEN v.education_minimum IS NOT NULL THEN 'site' WHEN t.education_minimum IS NOT NULL THEN 'text' END
            AS education,
        CASE WHEN v.full_time_required IS NOT NULL THEN 'site' WHEN t.full_time_required IS NOT NULL THEN 'text' END
            AS full_time,
        CASE WHEN h.site_experience THEN 'site' WHEN h.text_experience THEN 'text'
            WHEN v.experience_min IS NOT NULL THEN 'site' WHEN t.experience_min IS NOT NULL THEN 'text' END
            AS experience,
        CASE WHEN h.site_salary THEN 'site' WHEN h.text_salary THEN 'text' END AS salary,
        CASE WHEN v.head_count > 0 THEN 'site' WHEN t.head_count > 0 THEN 'text' END AS head_count
) o
"""  # noqa: S608 — nothing but the constants of this file

PROFILE_COMMENTS = {
    "posting": "reference of a posting whose current content has a profile; one row each, gone ones too",
    "content_hash": "the content that the profile belongs to",
    "contract": "newest contract that has a profile of this content",
    "producer": "model | rules",
    "degraded": "made by the rules after the model failed on this content",
    "empty": "the text says nothing that the contract asks for; a success",
    "profile": "the answer, in the shape of its contract",
    "evidence": "quotes from the document, by JSON pointer into the profile",
    "ungrounded": "values that became null because nothing in the document supports them",
    "model": "litellm name, or rules/N",
    "prompt": "name and version of the prompt; null for the rules",
    "created_at": "when this profile was made, by the database's clock",
}

ORIGIN = "site | text; null = neither says"
DISAGREES = "site and text both say something and differ"
POSTING_COMMENTS = {
    "posting": "reference, <source key>/[<channel>:]<native id>; one row each, gone ones too",
    "source": "source key, <system>[:<board>]",
    "system": "adapter",
    "board": "board of the system, or null",
    "channel": "only where the site's ids collide across channels, else empty",
    "native_id": "the site's own id",
    "title": "first line of the current document",
    "url": "page for people",
    "employer": "where it is not the source's own",
    "opening_key": "opening that several postings may share",
    "parent": "reference of the notice that holds it",
    "state": "active | suspected | gone",
    "opened_at": "observed opening of the open presence, else of the last",
    "closed_at": "observed closing of the last presence; null while open",
    "first_observed_at": "when it was first seen",
    "changed_at": "valid_from of the current version",
    "posted_at": "the site's own date of publication",
    "posted_precision": "year | month | day | minute | second",
    "version": "number of the current version, from 1",
    "content_hash": "name of the canonical document",
    "facts_hash": "hash of the stated facts, facts/1",
    "record_hash": "name of the record's object",
    "scheme": "scheme of content_hash",
    "locations": "places as stated",
    "department": "as stated",
    "category": "as stated",
    "employment_type": "as stated",
    "deadline": "as stated",
    "recruit_type": "effective: campus | experienced | intern",
    "recruit_type_origin": ORIGIN,
    "education_minimum": "effective: lowest degree accepted; none = not required, wins only over silence",
    "education_minimum_origin": ORIGIN,
    "full_time_required": "effective: a full-time degree (全日制) is required",
    "full_time_required_origin": ORIGIN,
    "experience_min_years": "effective: years of work; 0 alone = not required, wins only over silence",
    "experience_max_years": "effective: upper bound of years, null = unbounded or not stated",
    "experience_origin": f"of both bounds together: {ORIGIN}",
    "salary_min": "effective: lower bound in currency units per period",
    "salary_max": "effective: upper bound in currency units per period",
    "salary_currency": "effective: ISO 4217, null = not stated",
    "salary_period": "effective: hour | day | week | month | year, null = not stated",
    "salary_months": "effective: monthly salaries paid a year",
    "salary_unknown": "where there is no amount: negotiable | unparsed, as the site says; null = nothing stated",
    "salary_origin": f"of all parts together: {ORIGIN}",
    "head_count": "effective: openings",
    "head_count_origin": ORIGIN,
    "recruit_type_disagrees": DISAGREES,
    "education_minimum_disagrees": f"{DISAGREES}; 不限 never disagrees",
    "full_time_required_disagrees": DISAGREES,
    "experience_disagrees": f"{DISAGREES}; 不限 never disagrees",
    "salary_disagrees": f"{DISAGREES} in a part that both state",
    "head_count_disagrees": DISAGREES,
    "quarantine": "why it is not sent, indexed or exported; null = it is not held, or was released",
    "erased_at": "when the text was erased on a person's request",
    "contract": "newest contract that has a profile of this content, else the newest asked for",
    "profile_state": "pending | leased | succeeded | failed | skipped; null = not asked for yet",
    "profile_reason": "why skipped, failed or degraded",
    "profile_producer": "model | rules, of the current profile",
}


def upgrade() -> None:
    op.create_index("ix_presence_posting_id_opened_at", "presence", ["posting_id", "opened_at"])
    for view, body, comments in (
        ("current_profile", CURRENT_PROFILE, PROFILE_COMMENTS),
        ("current_posting", CURRENT_POSTING, POSTING_COMMENTS),
    ):
        op.execute(body)
        for column, comment in comments.items():
            quoted = comment.replace("'", "''")
            op.execute(f"COMMENT ON COLUMN {view}.{column} IS '{quoted}'")

CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.batch (
    id bigint NOT NULL,
    run_id bigint,
    config_id integer,
    state text DEFAULT 'running'::text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    holder text,
    reason text,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT ck_batch_state_known CHECK ((state = ANY (ARRAY['running'::text, 'finished'::text, 'interrupted'::text, 'failed'::text])))
);
COMMENT ON COLUMN public.batch.holder IS 'process that runs it; one known to be dead is cleared at once';
COMMENT ON COLUMN public.batch.reason IS 'why it stopped before everything was done';
ALTER TABLE public.batch ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.batch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.content (
    hash text NOT NULL COLLATE pg_catalog."C",
    scheme text NOT NULL COLLATE pg_catalog."C",
    document text,
    language text,
    simhash bigint,
    quarantine text,
    released_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    erased_at timestamp with time zone,
    CONSTRAINT ck_content_document_or_tombstone CHECK (((document IS NULL) = (erased_at IS NOT NULL))),
    CONSTRAINT ck_content_hash_is_sha256 CHECK ((hash ~ '^[0-9a-f]{64}$'::text))
);
COMMENT ON COLUMN public.content.quarantine IS 'why it is not sent, indexed or exported; see released_at';
CREATE TABLE public.content_alias (
    old_hash text NOT NULL COLLATE pg_catalog."C",
    new_hash text NOT NULL COLLATE pg_catalog."C",
    scheme text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_content_alias_new_hash_is_sha256 CHECK ((new_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT ck_content_alias_old_hash_is_sha256 CHECK ((old_hash ~ '^[0-9a-f]{64}$'::text))
);
COMMENT ON COLUMN public.content_alias.scheme IS 'of the new name';
CREATE TABLE public.extraction (
    content_hash text NOT NULL COLLATE pg_catalog."C",
    contract smallint NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    reason text,
    producer text,
    degraded boolean DEFAULT false NOT NULL,
    empty boolean DEFAULT false NOT NULL,
    attempts smallint DEFAULT '0'::smallint NOT NULL,
    lease_token uuid,
    lease_expires_at timestamp with time zone,
    profile_id bigint,
    run_id bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_extraction_lease_has_token CHECK (((state = 'leased'::text) = (lease_token IS NOT NULL))),
    CONSTRAINT ck_extraction_producer_known CHECK ((producer = ANY (ARRAY['model'::text, 'rules'::text]))),
    CONSTRAINT ck_extraction_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'leased'::text, 'succeeded'::text, 'failed'::text, 'skipped'::text]))),
    CONSTRAINT ck_extraction_success_has_profile CHECK (((state <> 'succeeded'::text) OR (profile_id IS NOT NULL)))
);
COMMENT ON COLUMN public.extraction.reason IS 'why skipped, failed or degraded';
COMMENT ON COLUMN public.extraction.attempts IS 'used up by the content''s own failures';
COMMENT ON COLUMN public.extraction.profile_id IS 'the current profile; older ones stay as history';
COMMENT ON COLUMN public.extraction.run_id IS 'run that first saw the content';
CREATE TABLE public.posting (
    id bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    channel text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    native_id text NOT NULL COLLATE pg_catalog."C",
    reference text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'active'::text NOT NULL,
    title text NOT NULL,
    url text,
    employer text,
    opening_key text COLLATE pg_catalog."C",
    parent text COLLATE pg_catalog."C",
    posted_raw text,
    posted_at timestamp with time zone,
    posted_precision text,
    identity_hash text NOT NULL COLLATE pg_catalog."C",
    row_hash text COLLATE pg_catalog."C",
    detail_observed_at timestamp with time zone,
    first_observed_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    signals smallint DEFAULT '0'::smallint NOT NULL,
    signalled_at timestamp with time zone,
    signal text,
    probed_at timestamp with time zone,
    successor text COLLATE pg_catalog."C",
    CONSTRAINT ck_posting_identity_hash_is_sha256 CHECK ((identity_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT ck_posting_posted_precision_known CHECK ((posted_precision = ANY (ARRAY['year'::text, 'month'::text, 'day'::text, 'minute'::text, 'second'::text]))),
    CONSTRAINT ck_posting_row_hash_is_sha256 CHECK ((row_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT ck_posting_state_known CHECK ((state = ANY (ARRAY['active'::text, 'suspected'::text, 'gone'::text])))
);
COMMENT ON COLUMN public.posting.channel IS 'only where ids collide across channels';
COMMENT ON COLUMN public.posting.title IS 'first line of the current document';
COMMENT ON COLUMN public.posting.employer IS 'where it is not the source''s own';
COMMENT ON COLUMN public.posting.parent IS 'reference of the notice that holds it';
COMMENT ON COLUMN public.posting.identity_hash IS 'the newest record less the fields that are not identity';
COMMENT ON COLUMN public.posting.detail_observed_at IS 'when the detail was last read';
COMMENT ON COLUMN public.posting.signals IS 'closed signals, CONFIRM_GAP apart';
COMMENT ON COLUMN public.posting.signalled_at IS 'when the last of them counted';
COMMENT ON COLUMN public.posting.signal IS 'the site''s words';
COMMENT ON COLUMN public.posting.probed_at IS 'when its own address was last asked';
COMMENT ON COLUMN public.posting.successor IS 'reference of the posting that it moved to';
CREATE TABLE public.presence (
    id bigint NOT NULL,
    posting_id bigint NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    opened_evidence text NOT NULL,
    closed_at timestamp with time zone,
    closed_evidence text,
    CONSTRAINT ck_presence_closing_has_evidence CHECK (((closed_at IS NULL) = (closed_evidence IS NULL))),
    CONSTRAINT ck_presence_span_forward CHECK (((closed_at IS NULL) OR (closed_at >= opened_at)))
);
CREATE TABLE public.profile (
    id bigint NOT NULL,
    content_hash text NOT NULL COLLATE pg_catalog."C",
    contract smallint NOT NULL,
    producer text NOT NULL,
    config_id integer NOT NULL,
    profile jsonb NOT NULL,
    evidence jsonb DEFAULT '{}'::jsonb NOT NULL,
    ungrounded smallint DEFAULT '0'::smallint NOT NULL,
    batch_id bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_profile_producer_known CHECK ((producer = ANY (ARRAY['model'::text, 'rules'::text])))
);
COMMENT ON COLUMN public.profile.evidence IS 'quotes by JSON pointer';
COMMENT ON COLUMN public.profile.ungrounded IS 'values that became null';
CREATE TABLE public.source (
    key text NOT NULL COLLATE pg_catalog."C",
    system text NOT NULL COLLATE pg_catalog."C",
    board text COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    newest_observed_at timestamp with time zone,
    period integer,
    due_at timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    unconditional text
);
COMMENT ON COLUMN public.source.newest_observed_at IS 'observed_at of the newest run that wrote; an older run is refused';
COMMENT ON COLUMN public.source.period IS 'seconds between two crawls; null = the default';
COMMENT ON COLUMN public.source.due_at IS 'when run-due crawls it next; null = now';
COMMENT ON COLUMN public.source.failures IS 'crawls in a row that did not finish';
COMMENT ON COLUMN public.source.unconditional IS 'why its validators are not trusted; null = they are';
CREATE TABLE public.version (
    id bigint NOT NULL,
    posting_id bigint NOT NULL,
    number integer NOT NULL,
    previous_number integer GENERATED ALWAYS AS (NULLIF((number - 1), 0)) STORED,
    kind text NOT NULL,
    content_hash text NOT NULL COLLATE pg_catalog."C",
    facts_hash text NOT NULL COLLATE pg_catalog."C",
    facts jsonb NOT NULL,
    record_hash text NOT NULL COLLATE pg_catalog."C",
    cleaning smallint NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone,
    run_id bigint,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    locations text[] DEFAULT '{}'::text[] NOT NULL,
    recruit_type text,
    education_minimum text,
    full_time_required boolean,
    experience_min numeric(14,2),
    experience_max numeric(14,2),
    salary_min numeric(14,2),
    salary_max numeric(14,2),
    salary_currency text,
    salary_period text,
    salary_months numeric(14,2),
    salary_unknown text,
    head_count integer,
    CONSTRAINT ck_version_content_hash_is_sha256 CHECK ((content_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT ck_version_education_minimum_known CHECK ((education_minimum = ANY (ARRAY['none'::text, 'middle_school'::text, 'high_school'::text, 'vocational'::text, 'associate'::text, 'bachelor'::text, 'master'::text, 'doctor'::text]))),
    CONSTRAINT ck_version_facts_hash_is_sha256 CHECK ((facts_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT ck_version_kind_known CHECK ((kind = ANY (ARRAY['new'::text, 'reverted'::text, 'content'::text, 'salary'::text, 'facts'::text]))),
    CONSTRAINT ck_version_number_positive CHECK ((number >= 1)),
    CONSTRAINT ck_version_record_hash_is_sha256 CHECK ((record_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT ck_version_recruit_type_known CHECK ((recruit_type = ANY (ARRAY['campus'::text, 'experienced'::text, 'intern'::text]))),
    CONSTRAINT ck_version_salary_period_known CHECK ((salary_period = ANY (ARRAY['hour'::text, 'day'::text, 'week'::text, 'month'::text, 'year'::text]))),
    CONSTRAINT ck_version_salary_unknown_known CHECK ((salary_unknown = ANY (ARRAY['negotiable'::text, 'none'::text, 'unparsed'::text]))),
    CONSTRAINT ck_version_span_forward CHECK (((valid_to IS NULL) OR (valid_to >= valid_from)))
);
COMMENT ON COLUMN public.version.previous_number IS 'its foreign key keeps numbers without gaps';
COMMENT ON COLUMN public.version.facts IS 'what the site states, facts/1, folded';
COMMENT ON COLUMN public.version.cleaning IS 'number of the source''s own cleaning declarations';
COMMENT ON COLUMN public.version.valid_from IS 'observed_at of the run that opened it';
CREATE VIEW public.current_posting AS
 SELECT p.reference AS posting,
    p.source,
    s.system,
    s.board,
    p.channel,
    p.native_id,
    p.title,
    p.url,
    COALESCE(p.employer, (v.facts ->> 'employer'::text)) AS employer,
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
    (v.facts ->> 'department'::text) AS department,
    (v.facts ->> 'category'::text) AS category,
    (v.facts ->> 'employment_type'::text) AS employment_type,
    (v.facts ->> 'deadline'::text) AS deadline,
        CASE o.recruit_type
            WHEN 'site'::text THEN v.recruit_type
            WHEN 'text'::text THEN t.recruit_type
            ELSE NULL::text
        END AS recruit_type,
    o.recruit_type AS recruit_type_origin,
        CASE o.education
            WHEN 'site'::text THEN v.education_minimum
            WHEN 'text'::text THEN t.education_minimum
            ELSE NULL::text
        END AS education_minimum,
    o.education AS education_minimum_origin,
        CASE o.full_time
            WHEN 'site'::text THEN v.full_time_required
            WHEN 'text'::text THEN t.full_time_required
            ELSE NULL::boolean
        END AS full_time_required,
    o.full_time AS full_time_required_origin,
        CASE o.experience
            WHEN 'site'::text THEN v.experience_min
            WHEN 'text'::text THEN t.experience_min
            ELSE NULL::numeric
        END AS experience_min_years,
        CASE o.experience
            WHEN 'site'::text THEN v.experience_max
            WHEN 'text'::text THEN t.experience_max
            ELSE NULL::numeric
        END AS experience_max_years,
    o.experience AS experience_origin,
        CASE o.salary
            WHEN 'site'::text THEN v.salary_min
            WHEN 'text'::text THEN t.salary_min
            ELSE NULL::numeric
        END AS salary_min,
        CASE o.salary
            WHEN 'site'::text THEN v.salary_max
            WHEN 'text'::text THEN t.salary_max
            ELSE NULL::numeric
        END AS salary_max,
        CASE o.salary
            WHEN 'site'::text THEN v.salary_currency
            WHEN 'text'::text THEN t.salary_currency
            ELSE NULL::text
        END AS salary_currency,
        CASE o.salary
            WHEN 'site'::text THEN v.salary_period
            WHEN 'text'::text THEN t.salary_period
            ELSE NULL::text
        END AS salary_period,
        CASE o.salary
            WHEN 'site'::text THEN v.salary_months
            WHEN 'text'::text THEN t.salary_months
            ELSE NULL::numeric
        END AS salary_months,
        CASE
            WHEN (o.salary IS NULL) THEN NULLIF(v.salary_unknown, 'none'::text)
            ELSE NULL::text
        END AS salary_unknown,
    o.salary AS salary_origin,
        CASE o.head_count
            WHEN 'site'::text THEN (v.head_count)::numeric
            WHEN 'text'::text THEN t.head_count
            ELSE NULL::numeric
        END AS head_count,
    o.head_count AS head_count_origin,
    COALESCE((v.recruit_type <> t.recruit_type), false) AS recruit_type_disagrees,
    COALESCE(((v.education_minimum <> t.education_minimum) AND (('none'::text <> v.education_minimum) AND ('none'::text <> t.education_minimum))), false) AS education_minimum_disagrees,
    COALESCE((v.full_time_required <> t.full_time_required), false) AS full_time_required_disagrees,
    (h.site_experience AND h.text_experience AND ((COALESCE(v.experience_min, (0)::numeric) <> COALESCE(t.experience_min, (0)::numeric)) OR COALESCE((v.experience_max <> t.experience_max), false))) AS experience_disagrees,
    (h.site_salary AND h.text_salary AND (COALESCE((v.salary_min <> t.salary_min), false) OR COALESCE((v.salary_max <> t.salary_max), false) OR COALESCE((v.salary_period <> t.salary_period), false) OR COALESCE((v.salary_currency <> t.salary_currency), false))) AS salary_disagrees,
    COALESCE(((NULLIF(v.head_count, 0))::numeric <> t.head_count), false) AS head_count_disagrees,
        CASE
            WHEN (c.released_at IS NULL) THEN c.quarantine
            ELSE NULL::text
        END AS quarantine,
    c.erased_at,
    e.contract,
    e.state AS profile_state,
    e.reason AS profile_reason,
    f.producer AS profile_producer
   FROM (((((((((public.posting p
     JOIN public.source s ON ((s.key = p.source)))
     JOIN public.version v ON (((v.posting_id = p.id) AND (v.valid_to IS NULL))))
     JOIN public.content c ON ((c.hash = v.content_hash)))
     LEFT JOIN public.presence r ON (((r.posting_id = p.id) AND (NOT (EXISTS ( SELECT 1
           FROM public.presence later
          WHERE ((later.posting_id = r.posting_id) AND (ROW(later.opened_at, later.id) > ROW(r.opened_at, r.id)))))))))
     LEFT JOIN public.extraction e ON (((e.content_hash = v.content_hash) AND (NOT (EXISTS ( SELECT 1
           FROM public.extraction better
          WHERE ((better.content_hash = e.content_hash) AND (ROW((better.profile_id IS NOT NULL), better.contract) > ROW((e.profile_id IS NOT NULL), e.contract)))))))))
     LEFT JOIN public.profile f ON ((f.id = e.profile_id)))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{recruit_type}'::text[])) = 'string'::text) THEN (f.profile #>> '{recruit_type}'::text[])
                    ELSE NULL::text
                END AS recruit_type,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{education,minimum}'::text[])) = 'string'::text) THEN (f.profile #>> '{education,minimum}'::text[])
                    ELSE NULL::text
                END AS education_minimum,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{education,full_time_required}'::text[])) = 'boolean'::text) THEN ((f.profile #>> '{education,full_time_required}'::text[]))::boolean
                    ELSE NULL::boolean
                END AS full_time_required,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{experience,min_years}'::text[])) = 'number'::text) THEN ((f.profile #>> '{experience,min_years}'::text[]))::numeric
                    ELSE NULL::numeric
                END AS experience_min,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{experience,max_years}'::text[])) = 'number'::text) THEN ((f.profile #>> '{experience,max_years}'::text[]))::numeric
                    ELSE NULL::numeric
                END AS experience_max,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{salary,min}'::text[])) = 'number'::text) THEN ((f.profile #>> '{salary,min}'::text[]))::numeric
                    ELSE NULL::numeric
                END AS salary_min,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{salary,max}'::text[])) = 'number'::text) THEN ((f.profile #>> '{salary,max}'::text[]))::numeric
                    ELSE NULL::numeric
                END AS salary_max,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{salary,currency}'::text[])) = 'string'::text) THEN (f.profile #>> '{salary,currency}'::text[])
                    ELSE NULL::text
                END AS salary_currency,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{salary,period}'::text[])) = 'string'::text) THEN (f.profile #>> '{salary,period}'::text[])
                    ELSE NULL::text
                END AS salary_period,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{salary,months}'::text[])) = 'number'::text) THEN ((f.profile #>> '{salary,months}'::text[]))::numeric
                    ELSE NULL::numeric
                END AS salary_months,
                CASE
                    WHEN (jsonb_typeof((f.profile #> '{head_count}'::text[])) = 'number'::text) THEN ((f.profile #>> '{head_count}'::text[]))::numeric
                    ELSE NULL::numeric
                END AS head_count) t)
     CROSS JOIN LATERAL ( SELECT COALESCE(((v.experience_min > (0)::numeric) OR (v.experience_max IS NOT NULL)), false) AS site_experience,
            COALESCE(((t.experience_min > (0)::numeric) OR (t.experience_max IS NOT NULL)), false) AS text_experience,
            ((v.salary_min IS NOT NULL) OR (v.salary_max IS NOT NULL)) AS site_salary,
            ((t.salary_min IS NOT NULL) OR (t.salary_max IS NOT NULL)) AS text_salary) h)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (v.recruit_type IS NOT NULL) THEN 'site'::text
                    WHEN (t.recruit_type IS NOT NULL) THEN 'text'::text
                    ELSE NULL::text
                END AS recruit_type,
                CASE
                    WHEN (v.education_minimum <> 'none'::text) THEN 'site'::text
                    WHEN (t.education_minimum <> 'none'::text) THEN 'text'::text
                    WHEN (v.education_minimum IS NOT NULL) THEN 'site'::text
                    WHEN (t.education_minimum IS NOT NULL) THEN 'text'::text
                    ELSE NULL::text
                END AS education,
                CASE
                    WHEN (v.full_time_required IS NOT NULL) THEN 'site'::text
                    WHEN (t.full_time_required IS NOT NULL) THEN 'text'::text
                    ELSE NULL::text
                END AS full_time,
                CASE
                    WHEN h.site_experience THEN 'site'::text
                    WHEN h.text_experience THEN 'text'::text
                    WHEN (v.experience_min IS NOT NULL) THEN 'site'::text
                    WHEN (t.experience_min IS NOT NULL) THEN 'text'::text
                    ELSE NULL::text
                END AS experience,
                CASE
                    WHEN h.site_salary THEN 'site'::text
                    WHEN h.text_salary THEN 'text'::text
                    ELSE NULL::text
                END AS salary,
                CASE
                    WHEN (v.head_count > 0) THEN 'site'::text
                    WHEN (t.head_count > (0)::numeric) THEN 'text'::text
                    ELSE NULL::text
                END AS head_count) o);
COMMENT ON COLUMN public.current_posting.posting IS 'reference, <source key>/[<channel>:]<native id>; one row each, gone ones too';
COMMENT ON COLUMN public.current_posting.source IS 'source key, <system>[:<board>]';
COMMENT ON COLUMN public.current_posting.system IS 'adapter';
COMMENT ON COLUMN public.current_posting.board IS 'board of the system, or null';
COMMENT ON COLUMN public.current_posting.channel IS 'only where the site''s ids collide across channels, else empty';
COMMENT ON COLUMN public.current_posting.native_id IS 'the site''s own id';
COMMENT ON COLUMN public.current_posting.title IS 'first line of the current document';
COMMENT ON COLUMN public.current_posting.url IS 'page for people';
COMMENT ON COLUMN public.current_posting.employer IS 'where it is not the source''s own';
COMMENT ON COLUMN public.current_posting.opening_key IS 'opening that several postings may share';
COMMENT ON COLUMN public.current_posting.parent IS 'reference of the notice that holds it';
COMMENT ON COLUMN public.current_posting.state IS 'active | suspected | gone';
COMMENT ON COLUMN public.current_posting.opened_at IS 'observed opening of the open presence, else of the last';
COMMENT ON COLUMN public.current_posting.closed_at IS 'observed closing of the last presence; null while open';
COMMENT ON COLUMN public.current_posting.first_observed_at IS 'when it was first seen';
COMMENT ON COLUMN public.current_posting.changed_at IS 'valid_from of the current version';
COMMENT ON COLUMN public.current_posting.posted_at IS 'the site''s own date of publication';
COMMENT ON COLUMN public.current_posting.posted_precision IS 'year | month | day | minute | second';
COMMENT ON COLUMN public.current_posting.version IS 'number of the current version, from 1';
COMMENT ON COLUMN public.current_posting.content_hash IS 'name of the canonical document';
COMMENT ON COLUMN public.current_posting.facts_hash IS 'hash of the stated facts, facts/1';
COMMENT ON COLUMN public.current_posting.record_hash IS 'name of the record''s object';
COMMENT ON COLUMN public.current_posting.scheme IS 'scheme of content_hash';
COMMENT ON COLUMN public.current_posting.locations IS 'places as stated';
COMMENT ON COLUMN public.current_posting.department IS 'as stated';
COMMENT ON COLUMN public.current_posting.category IS 'as stated';
COMMENT ON COLUMN public.current_posting.employment_type IS 'as stated';
COMMENT ON COLUMN public.current_posting.deadline IS 'as stated';
COMMENT ON COLUMN public.current_posting.recruit_type IS 'effective: campus | experienced | intern';
COMMENT ON COLUMN public.current_posting.recruit_type_origin IS 'site | text; null = neither says';
COMMENT ON COLUMN public.current_posting.education_minimum IS 'effective: lowest degree accepted; none = not required, wins only over silence';
COMMENT ON COLUMN public.current_posting.education_minimum_origin IS 'site | text; null = neither says';
COMMENT ON COLUMN public.current_posting.full_time_required IS 'effective: a full-time degree (全日制) is required';
COMMENT ON COLUMN public.current_posting.full_time_required_origin IS 'site | text; null = neither says';
COMMENT ON COLUMN public.current_posting.experience_min_years IS 'effective: years of work; 0 alone = not required, wins only over silence';
COMMENT ON COLUMN public.current_posting.experience_max_years IS 'effective: upper bound of years, null = unbounded or not stated';
COMMENT ON COLUMN public.current_posting.experience_origin IS 'of both bounds together: site | text; null = neither says';
COMMENT ON COLUMN public.current_posting.salary_min IS 'effective: lower bound in currency units per period';
COMMENT ON COLUMN public.current_posting.salary_max IS 'effective: upper bound in currency units per period';
COMMENT ON COLUMN public.current_posting.salary_currency IS 'effective: ISO 4217, null = not stated';
COMMENT ON COLUMN public.current_posting.salary_period IS 'effective: hour | day | week | month | year, null = not stated';
COMMENT ON COLUMN public.current_posting.salary_months IS 'effective: monthly salaries paid a year';
COMMENT ON COLUMN public.current_posting.salary_unknown IS 'where there is no amount: negotiable | unparsed, as the site says; null = nothing stated';
COMMENT ON COLUMN public.current_posting.salary_origin IS 'of all parts together: site | text; null = neither says';
COMMENT ON COLUMN public.current_posting.head_count IS 'effective: openings';
COMMENT ON COLUMN public.current_posting.head_count_origin IS 'site | text; null = neither says';
COMMENT ON COLUMN public.current_posting.recruit_type_disagrees IS 'site and text both say something and differ';
COMMENT ON COLUMN public.current_posting.education_minimum_disagrees IS 'site and text both say something and differ; 不限 never disagrees';
COMMENT ON COLUMN public.current_posting.full_time_required_disagrees IS 'site and text both say something and differ';
COMMENT ON COLUMN public.current_posting.experience_disagrees IS 'site and text both say something and differ; 不限 never disagrees';
COMMENT ON COLUMN public.current_posting.salary_disagrees IS 'site and text both say something and differ in a part that both state';
COMMENT ON COLUMN public.current_posting.head_count_disagrees IS 'site and text both say something and differ';
COMMENT ON COLUMN public.current_posting.quarantine IS 'why it is not sent, indexed or exported; null = it is not held, or was released';
COMMENT ON COLUMN public.current_posting.erased_at IS 'when the text was erased on a person''s request';
COMMENT ON COLUMN public.current_posting.contract IS 'newest contract that has a profile of this content, else the newest asked for';
COMMENT ON COLUMN public.current_posting.profile_state IS 'pending | leased | succeeded | failed | skipped; null = not asked for yet';
COMMENT ON COLUMN public.current_posting.profile_reason IS 'why skipped, failed or degraded';
COMMENT ON COLUMN public.current_posting.profile_producer IS 'model | rules, of the current profile';
CREATE TABLE public.extraction_config (
    id integer NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    producer text NOT NULL COLLATE pg_catalog."C",
    model text NOT NULL,
    prompt text,
    parameters jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_extraction_config_hash_is_sha256 CHECK ((hash ~ '^[0-9a-f]{64}$'::text))
);
COMMENT ON COLUMN public.extraction_config.hash IS 'of the canonical JSON of what follows';
COMMENT ON COLUMN public.extraction_config.model IS 'litellm name, or rules/N';
CREATE VIEW public.current_profile AS
 SELECT p.reference AS posting,
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
   FROM ((((public.posting p
     JOIN public.version v ON (((v.posting_id = p.id) AND (v.valid_to IS NULL))))
     JOIN public.extraction e ON (((e.content_hash = v.content_hash) AND (e.profile_id IS NOT NULL) AND (NOT (EXISTS ( SELECT 1
           FROM public.extraction newer
          WHERE ((newer.content_hash = e.content_hash) AND (newer.profile_id IS NOT NULL) AND (newer.contract > e.contract))))))))
     JOIN public.profile f ON ((f.id = e.profile_id)))
     JOIN public.extraction_config g ON ((g.id = f.config_id)));
COMMENT ON COLUMN public.current_profile.posting IS 'reference of a posting whose current content has a profile; one row each, gone ones too';
COMMENT ON COLUMN public.current_profile.content_hash IS 'the content that the profile belongs to';
COMMENT ON COLUMN public.current_profile.contract IS 'newest contract that has a profile of this content';
COMMENT ON COLUMN public.current_profile.producer IS 'model | rules';
COMMENT ON COLUMN public.current_profile.degraded IS 'made by the rules after the model failed on this content';
COMMENT ON COLUMN public.current_profile.empty IS 'the text says nothing that the contract asks for; a success';
COMMENT ON COLUMN public.current_profile.profile IS 'the answer, in the shape of its contract';
COMMENT ON COLUMN public.current_profile.evidence IS 'quotes from the document, by JSON pointer into the profile';
COMMENT ON COLUMN public.current_profile.ungrounded IS 'values that became null because nothing in the document supports them';
COMMENT ON COLUMN public.current_profile.model IS 'litellm name, or rules/N';
COMMENT ON COLUMN public.current_profile.prompt IS 'name and version of the prompt; null for the rules';
COMMENT ON COLUMN public.current_profile.created_at IS 'when this profile was made, by the database''s clock';
CREATE TABLE public.erasure (
    id bigint NOT NULL,
    posting text COLLATE pg_catalog."C",
    content_hash text COLLATE pg_catalog."C",
    reason text NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.erasure ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.erasure_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.event (
    id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    posting_id bigint,
    posting text COLLATE pg_catalog."C",
    source text COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    version integer,
    content text COLLATE pg_catalog."C",
    payload jsonb DEFAULT '{}'::jsonb NOT NULL
);
COMMENT ON COLUMN public.event.posting IS 'reference, kept beside the id';
COMMENT ON COLUMN public.event.at IS 'observed time';
ALTER TABLE public.event ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.extraction_config ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.extraction_config_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.hold (
    id bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    channel text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    run_id bigint,
    observed_at timestamp with time zone NOT NULL,
    missing integer NOT NULL,
    known integer NOT NULL,
    reason text NOT NULL,
    released_at timestamp with time zone,
    released_by text,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_hold_release_has_author CHECK (((released_at IS NULL) = (released_by IS NULL))),
    CONSTRAINT ck_hold_released_by_known CHECK ((released_by = ANY (ARRAY['run'::text, 'person'::text])))
);
COMMENT ON COLUMN public.hold.missing IS 'postings that disappeared at once';
COMMENT ON COLUMN public.hold.known IS 'postings that were open in the channel before';
COMMENT ON COLUMN public.hold.reason IS 'what made it implausible, for a person';
ALTER TABLE public.hold ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.hold_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.host_lease (
    host text NOT NULL COLLATE pg_catalog."C",
    run_id bigint NOT NULL,
    token uuid NOT NULL,
    holder text,
    expires_at timestamp with time zone NOT NULL
);
COMMENT ON COLUMN public.host_lease.holder IS 'process that holds it; one known to be dead is replaced at once';
CREATE TABLE public.model_call (
    id bigint NOT NULL,
    content_hash text NOT NULL COLLATE pg_catalog."C",
    contract smallint NOT NULL,
    batch_id bigint,
    config_id integer NOT NULL,
    lease_token uuid NOT NULL,
    purpose text DEFAULT 'extract'::text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    outcome text,
    input_tokens integer,
    cached_tokens integer,
    output_tokens integer,
    reserved numeric(18,9),
    cost numeric(18,9),
    currency text,
    error text
);
COMMENT ON COLUMN public.model_call.purpose IS 'extract | repair';
COMMENT ON COLUMN public.model_call.outcome IS 'null while under way';
COMMENT ON COLUMN public.model_call.reserved IS 'worst case, taken from the budget in the claim';
COMMENT ON COLUMN public.model_call.cost IS 'settled; null = price unknown';
ALTER TABLE public.model_call ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.model_call_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.object (
    hash text NOT NULL COLLATE pg_catalog."C",
    media_type text NOT NULL,
    charset text,
    size bigint NOT NULL,
    data bytea,
    path text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    erased_at timestamp with time zone,
    CONSTRAINT ck_object_has_bytes_or_tombstone CHECK ((num_nonnulls(data, path, erased_at) >= 1)),
    CONSTRAINT ck_object_hash_is_sha256 CHECK ((hash ~ '^[0-9a-f]{64}$'::text))
);
COMMENT ON COLUMN public.object.size IS 'bytes before compression';
COMMENT ON COLUMN public.object.data IS 'zstd frame, up to 64 KiB';
COMMENT ON COLUMN public.object.path IS 'name below the object store, where the frame is larger';
CREATE TABLE public.page (
    id bigint NOT NULL,
    run_id bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    channel text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    method text DEFAULT 'GET'::text NOT NULL,
    url text NOT NULL,
    request_hash text COLLATE pg_catalog."C",
    state text DEFAULT 'pending'::text NOT NULL,
    failure text,
    status smallint,
    attempts smallint DEFAULT '0'::smallint NOT NULL,
    ids text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    total integer,
    body_hash text COLLATE pg_catalog."C",
    etag text,
    last_modified text,
    redirected_to text,
    observed_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    request text,
    walk smallint DEFAULT '1'::smallint NOT NULL,
    number integer,
    proof text,
    evidence text,
    CONSTRAINT ck_page_kind_known CHECK ((kind = ANY (ARRAY['list'::text, 'detail'::text, 'sitemap'::text, 'feed'::text, 'probe'::text]))),
    CONSTRAINT ck_page_proof_known CHECK ((proof = ANY (ARRAY['total'::text, 'whole_board'::text, 'exhausted'::text]))),
    CONSTRAINT ck_page_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'fetched'::text, 'extracted'::text, 'done'::text, 'failed'::text])))
);
COMMENT ON COLUMN public.page.request_hash IS 'method, canonical URL and body';
COMMENT ON COLUMN public.page.total IS 'the total this page announced';
COMMENT ON COLUMN public.page.request IS 'how to ask for it again; null once it is done';
COMMENT ON COLUMN public.page.walk IS 'which walk through its listing';
COMMENT ON COLUMN public.page.number IS 'of a list page, from 1';
COMMENT ON COLUMN public.page.proof IS 'how it takes part in a proof of completeness';
COMMENT ON COLUMN public.page.evidence IS 'the site''s words that its posting is closed';
ALTER TABLE public.page ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.page_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.posting_channel (
    posting_id bigint NOT NULL,
    channel text NOT NULL COLLATE pg_catalog."C",
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    misses integer DEFAULT 0 NOT NULL,
    last_missed_at timestamp with time zone
);
ALTER TABLE public.posting ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.posting_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.presence ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.presence_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.profile ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.profile_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.reject (
    id bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    detail text DEFAULT ''::text NOT NULL,
    record_hash text COLLATE pg_catalog."C",
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    count integer DEFAULT 1 NOT NULL,
    run_id bigint,
    CONSTRAINT ck_reject_hash_is_sha256 CHECK ((hash ~ '^[0-9a-f]{64}$'::text))
);
COMMENT ON COLUMN public.reject.key IS 'native id, or the page URL';
COMMENT ON COLUMN public.reject.hash IS 'of the record, or of the empty string';
COMMENT ON COLUMN public.reject.run_id IS 'run that met it last';
ALTER TABLE public.reject ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.reject_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.run (
    id bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'running'::text NOT NULL,
    observed_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    reason text,
    ledger jsonb DEFAULT '{}'::jsonb NOT NULL,
    resumed smallint DEFAULT '0'::smallint NOT NULL,
    hosts text[] COLLATE pg_catalog."C",
    CONSTRAINT ck_run_state_known CHECK ((state = ANY (ARRAY['running'::text, 'finished'::text, 'interrupted'::text, 'failed'::text, 'deferred'::text])))
);
COMMENT ON COLUMN public.run.observed_at IS 'the run''s logical time; drives versions and lifecycle';
COMMENT ON COLUMN public.run.reason IS 'why it did not finish, or Scrapy''s close reason';
COMMENT ON COLUMN public.run.ledger IS 'seen = new + changed + unchanged + rejected, and what else was counted';
COMMENT ON COLUMN public.run.resumed IS 'how often it was taken up again';
COMMENT ON COLUMN public.run.hosts IS 'hosts that it asks; only a run of the same ones takes it up again';
CREATE TABLE public.run_channel (
    run_id bigint NOT NULL,
    channel text NOT NULL COLLATE pg_catalog."C",
    complete boolean NOT NULL,
    proof text,
    total integer,
    distinct_ids integer NOT NULL,
    prevented_by text[] DEFAULT '{}'::text[] NOT NULL,
    missed integer,
    newly_missed integer,
    CONSTRAINT ck_run_channel_proof_known CHECK ((proof = ANY (ARRAY['total'::text, 'whole_board'::text, 'exhausted'::text])))
);
COMMENT ON COLUMN public.run_channel.total IS 'smallest total the site announced during the walk';
COMMENT ON COLUMN public.run_channel.missed IS 'postings of the channel that this run missed';
COMMENT ON COLUMN public.run_channel.newly_missed IS 'those of them that the run before had seen';
ALTER TABLE public.run ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.source_lease (
    source text NOT NULL COLLATE pg_catalog."C",
    run_id bigint NOT NULL,
    token uuid NOT NULL,
    holder text,
    expires_at timestamp with time zone NOT NULL
);
COMMENT ON COLUMN public.source_lease.holder IS 'process that holds it; one known to be dead is replaced at once';
CREATE TABLE public.validator (
    source text NOT NULL COLLATE pg_catalog."C",
    request_hash text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    etag text,
    last_modified text,
    body_hash text COLLATE pg_catalog."C",
    ids text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    total integer,
    proof text,
    observed_at timestamp with time zone NOT NULL
);
ALTER TABLE public.version ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.version_place (
    version_id bigint NOT NULL,
    ordinal smallint NOT NULL,
    stated text NOT NULL,
    city text,
    region text,
    country text
);
COMMENT ON COLUMN public.version_place.country IS 'ISO 3166-1 alpha-2';
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT pk_batch PRIMARY KEY (id);
ALTER TABLE ONLY public.content
    ADD CONSTRAINT pk_content PRIMARY KEY (hash);
ALTER TABLE ONLY public.content_alias
    ADD CONSTRAINT pk_content_alias PRIMARY KEY (old_hash, new_hash);
ALTER TABLE ONLY public.erasure
    ADD CONSTRAINT pk_erasure PRIMARY KEY (id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT pk_event PRIMARY KEY (id);
ALTER TABLE ONLY public.extraction
    ADD CONSTRAINT pk_extraction PRIMARY KEY (content_hash, contract);
ALTER TABLE ONLY public.extraction_config
    ADD CONSTRAINT pk_extraction_config PRIMARY KEY (id);
ALTER TABLE ONLY public.hold
    ADD CONSTRAINT pk_hold PRIMARY KEY (id);
ALTER TABLE ONLY public.host_lease
    ADD CONSTRAINT pk_host_lease PRIMARY KEY (host);
ALTER TABLE ONLY public.model_call
    ADD CONSTRAINT pk_model_call PRIMARY KEY (id);
ALTER TABLE ONLY public.object
    ADD CONSTRAINT pk_object PRIMARY KEY (hash);
ALTER TABLE ONLY public.page
    ADD CONSTRAINT pk_page PRIMARY KEY (id);
ALTER TABLE ONLY public.posting
    ADD CONSTRAINT pk_posting PRIMARY KEY (id);
ALTER TABLE ONLY public.posting_channel
    ADD CONSTRAINT pk_posting_channel PRIMARY KEY (posting_id, channel);
ALTER TABLE ONLY public.presence
    ADD CONSTRAINT pk_presence PRIMARY KEY (id);
ALTER TABLE ONLY public.profile
    ADD CONSTRAINT pk_profile PRIMARY KEY (id);
ALTER TABLE ONLY public.reject
    ADD CONSTRAINT pk_reject PRIMARY KEY (id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT pk_run PRIMARY KEY (id);
ALTER TABLE ONLY public.run_channel
    ADD CONSTRAINT pk_run_channel PRIMARY KEY (run_id, channel);
ALTER TABLE ONLY public.source
    ADD CONSTRAINT pk_source PRIMARY KEY (key);
ALTER TABLE ONLY public.source_lease
    ADD CONSTRAINT pk_source_lease PRIMARY KEY (source);
ALTER TABLE ONLY public.validator
    ADD CONSTRAINT pk_validator PRIMARY KEY (source, request_hash);
ALTER TABLE ONLY public.version
    ADD CONSTRAINT pk_version PRIMARY KEY (id);
ALTER TABLE ONLY public.version_place
    ADD CONSTRAINT pk_version_place PRIMARY KEY (version_id, ordinal);
ALTER TABLE ONLY public.extraction_config
    ADD CONSTRAINT uq_extraction_config_hash UNIQUE (hash);
ALTER TABLE ONLY public.posting
    ADD CONSTRAINT uq_posting_reference UNIQUE (reference);
ALTER TABLE ONLY public.posting
    ADD CONSTRAINT uq_posting_source_channel_native_id UNIQUE (source, channel, native_id);
ALTER TABLE ONLY public.reject
    ADD CONSTRAINT uq_reject_source_key_reason_hash UNIQUE (source, key, reason, hash);
ALTER TABLE ONLY public.version
    ADD CONSTRAINT uq_version_posting_id_number UNIQUE (posting_id, number);
CREATE INDEX ix_event_posting_id_id ON public.event USING btree (posting_id, id);
CREATE INDEX ix_extraction_open ON public.extraction USING btree (contract, state, updated_at) WHERE (state = ANY (ARRAY['pending'::text, 'leased'::text]));
CREATE INDEX ix_model_call_content_hash_contract ON public.model_call USING btree (content_hash, contract);
CREATE INDEX ix_model_call_started_at ON public.model_call USING btree (started_at);
CREATE INDEX ix_model_call_under_way ON public.model_call USING btree (lease_token) WHERE (outcome IS NULL);
CREATE INDEX ix_page_ids ON public.page USING gin (ids);
CREATE INDEX ix_page_source_kind_observed_at ON public.page USING btree (source, kind, observed_at);
CREATE INDEX ix_posting_opening_key ON public.posting USING btree (opening_key) WHERE (opening_key IS NOT NULL);
CREATE INDEX ix_presence_posting_id_opened_at ON public.presence USING btree (posting_id, opened_at);
CREATE INDEX ix_profile_content_hash_contract ON public.profile USING btree (content_hash, contract);
CREATE INDEX ix_run_source_id ON public.run USING btree (source, id);
CREATE INDEX ix_version_content_hash ON public.version USING btree (content_hash);
CREATE INDEX ix_version_record_hash ON public.version USING btree (record_hash);
CREATE UNIQUE INDEX uq_hold_open ON public.hold USING btree (source, channel) WHERE (released_at IS NULL);
CREATE UNIQUE INDEX uq_page_name ON public.page USING btree (run_id, channel, walk, request_hash);
CREATE UNIQUE INDEX uq_presence_open ON public.presence USING btree (posting_id) WHERE (closed_at IS NULL);
CREATE UNIQUE INDEX uq_version_open ON public.version USING btree (posting_id) WHERE (valid_to IS NULL);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT fk_batch_config_id_extraction_config FOREIGN KEY (config_id) REFERENCES public.extraction_config(id);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT fk_batch_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.event
    ADD CONSTRAINT fk_event_posting_id_posting FOREIGN KEY (posting_id) REFERENCES public.posting(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.extraction
    ADD CONSTRAINT fk_extraction_content_hash_content FOREIGN KEY (content_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.extraction
    ADD CONSTRAINT fk_extraction_profile_id_profile FOREIGN KEY (profile_id) REFERENCES public.profile(id);
ALTER TABLE ONLY public.extraction
    ADD CONSTRAINT fk_extraction_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.hold
    ADD CONSTRAINT fk_hold_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.hold
    ADD CONSTRAINT fk_hold_source_source FOREIGN KEY (source) REFERENCES public.source(key);
ALTER TABLE ONLY public.host_lease
    ADD CONSTRAINT fk_host_lease_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.model_call
    ADD CONSTRAINT fk_model_call_batch_id_batch FOREIGN KEY (batch_id) REFERENCES public.batch(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.model_call
    ADD CONSTRAINT fk_model_call_config_id_extraction_config FOREIGN KEY (config_id) REFERENCES public.extraction_config(id);
ALTER TABLE ONLY public.model_call
    ADD CONSTRAINT fk_model_call_content_hash_contract_extraction FOREIGN KEY (content_hash, contract) REFERENCES public.extraction(content_hash, contract);
ALTER TABLE ONLY public.page
    ADD CONSTRAINT fk_page_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.page
    ADD CONSTRAINT fk_page_source_source FOREIGN KEY (source) REFERENCES public.source(key);
ALTER TABLE ONLY public.posting_channel
    ADD CONSTRAINT fk_posting_channel_posting_id_posting FOREIGN KEY (posting_id) REFERENCES public.posting(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.posting
    ADD CONSTRAINT fk_posting_source_source FOREIGN KEY (source) REFERENCES public.source(key);
ALTER TABLE ONLY public.presence
    ADD CONSTRAINT fk_presence_posting_id_posting FOREIGN KEY (posting_id) REFERENCES public.posting(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.profile
    ADD CONSTRAINT fk_profile_batch_id_batch FOREIGN KEY (batch_id) REFERENCES public.batch(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.profile
    ADD CONSTRAINT fk_profile_config_id_extraction_config FOREIGN KEY (config_id) REFERENCES public.extraction_config(id);
ALTER TABLE ONLY public.profile
    ADD CONSTRAINT fk_profile_content_hash_contract_extraction FOREIGN KEY (content_hash, contract) REFERENCES public.extraction(content_hash, contract);
ALTER TABLE ONLY public.reject
    ADD CONSTRAINT fk_reject_record_hash_object FOREIGN KEY (record_hash) REFERENCES public.object(hash);
ALTER TABLE ONLY public.reject
    ADD CONSTRAINT fk_reject_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.reject
    ADD CONSTRAINT fk_reject_source_source FOREIGN KEY (source) REFERENCES public.source(key);
ALTER TABLE ONLY public.run_channel
    ADD CONSTRAINT fk_run_channel_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run
    ADD CONSTRAINT fk_run_source_source FOREIGN KEY (source) REFERENCES public.source(key);
ALTER TABLE ONLY public.source_lease
    ADD CONSTRAINT fk_source_lease_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.source_lease
    ADD CONSTRAINT fk_source_lease_source_source FOREIGN KEY (source) REFERENCES public.source(key);
ALTER TABLE ONLY public.validator
    ADD CONSTRAINT fk_validator_source_source FOREIGN KEY (source) REFERENCES public.source(key);
ALTER TABLE ONLY public.version
    ADD CONSTRAINT fk_version_content_hash_content FOREIGN KEY (content_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.version
    ADD CONSTRAINT fk_version_no_gap FOREIGN KEY (posting_id, previous_number) REFERENCES public.version(posting_id, number);
ALTER TABLE ONLY public.version_place
    ADD CONSTRAINT fk_version_place_version_id_version FOREIGN KEY (version_id) REFERENCES public.version(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.version
    ADD CONSTRAINT fk_version_posting_id_posting FOREIGN KEY (posting_id) REFERENCES public.posting(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.version
    ADD CONSTRAINT fk_version_record_hash_object FOREIGN KEY (record_hash) REFERENCES public.object(hash);
ALTER TABLE ONLY public.version
    ADD CONSTRAINT fk_version_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE SET NULL;

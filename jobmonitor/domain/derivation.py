"""Everything that follows from a posting as the site sent it: document, facts, findings, names. Pure.

The stages ask for one step each; a stored record is derived again in one go.
"""

from __future__ import annotations

from dataclasses import replace

from jobmonitor.domain.canonical import SCHEME, content_hash, facts_hash, fold_facts, sha256_hex, tidy_facts
from jobmonitor.domain.document import build_document
from jobmonitor.domain.facts import derive
from jobmonitor.domain.redaction import redact
from jobmonitor.items import CleanPosting, FingerprintedPosting, RawPosting


def clean(raw: RawPosting) -> CleanPosting:
    """The posting's document, facts and what the facts mean; the document is not redacted yet."""
    document = build_document(raw.title, raw.sections, locations=raw.facts.locations, slogans=raw.slogans)
    return CleanPosting(raw=raw, document=document, facts=tidy_facts(raw.facts), derived=derive(fold_facts(raw.facts)))


def redacted(posting: CleanPosting) -> CleanPosting:
    """The posting with its document redacted, what was found, and whether it is quarantined."""
    found = redact(posting.document)
    if not found.findings and found.quarantine is None:
        return posting
    return replace(posting, document=found.text, findings=found.findings, quarantine=found.quarantine)


def fingerprint(posting: CleanPosting) -> FingerprintedPosting:
    """The posting with the names of its content, facts and record."""
    return FingerprintedPosting(
        clean=posting,
        content_hash=content_hash(posting.document),
        facts_hash=facts_hash(posting.facts),
        record_hash=sha256_hex(posting.raw.record.body),
        scheme=SCHEME,
    )


def derive_posting(raw: RawPosting) -> FingerprintedPosting:
    """All steps at once, as for a stored record."""
    return fingerprint(redacted(clean(raw)))

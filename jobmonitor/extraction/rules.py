"""The rules extractor: a profile under contract 1 from a canonical document, without a model. See docs/profile.md."""

from __future__ import annotations

from jobmonitor.extraction.business import apply_business_rules
from jobmonitor.extraction.draft import Answer, Draft
from jobmonitor.extraction.fields.audience import read_audience
from jobmonitor.extraction.fields.benefits import read_benefits, read_certificates
from jobmonitor.extraction.fields.degree import read_degree
from jobmonitor.extraction.fields.languages import read_languages
from jobmonitor.extraction.fields.pay import read_pay
from jobmonitor.extraction.fields.place import read_place
from jobmonitor.extraction.fields.skills import read_skills
from jobmonitor.extraction.fields.standing import read_standing
from jobmonitor.extraction.fields.years import read_years
from jobmonitor.extraction.reading import read_page

__all__ = ["RULES_VERSION", "Answer", "extract"]

#: Recorded with each profile that the rules made.
RULES_VERSION = "rules/1"

#: Years stand before the audience, which reads them.
_READERS = (
    read_degree,
    read_years,
    read_audience,
    read_skills,
    read_languages,
    read_pay,
    read_place,
    read_certificates,
    read_benefits,
    read_standing,
)


def extract(document: str) -> Answer:
    """Read a canonical document. Pure, linear in its length, and valid under contract 1 for any text."""
    page = read_page(document)
    draft = Draft(page)
    for read in _READERS:
        read(page, draft)
    apply_business_rules(draft.profile, draft.evidence)
    return Answer(draft.profile, draft.evidence)

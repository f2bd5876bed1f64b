"""The rules' answer for a content, ready to be stored: without a model, and where a model failed."""

from __future__ import annotations

import logging

from jobmonitor.extraction.contract import Contract
from jobmonitor.extraction.rules import extract
from jobmonitor.storage.profiles import Answered

logger = logging.getLogger(__name__)


def answer_by_rules(contract: Contract, content_hash: str, document: str) -> Answered | str:
    """The profile that the rules read from a document, or why it is not valid: an alarm."""
    try:
        answer = extract(document)
    except Exception as error:  # noqa: BLE001 - one text must not cost the others their profile
        logger.error("The rules fail on %s: %s", content_hash, type(error).__name__)
        return f"{type(error).__name__}: {error}"
    problems = contract.validate(answer.profile)
    if problems:
        logger.error("The rules' profile of %s is not valid: %s", content_hash, problems[0])
        return problems[0]
    return Answered(
        content_hash=content_hash,
        profile=answer.profile,
        evidence=answer.evidence,
        empty=contract.is_empty(answer.profile),
    )

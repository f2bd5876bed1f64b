"""How a model may answer, well or badly: one small function per behaviour, from the document to what is said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.rules import extract


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A completion: text and why it ended there."""

    text: str | None
    finish_reason: str = "stop"
    refusal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """No completion: an error in the shape of the OpenAI API."""

    status: HTTPStatus
    message: str
    code: str | None = None


#: Sends nothing, or a byte now and then, until the client gives up.
SILENT = frozenset({"hanging", "dripping"})
#: Closes the connection without a word; answers with a page for people; leaves the token counts out.
CUT_OFF, WEB_PAGE, UNCOUNTED = "cut_off", "web_page", "uncounted"

#: A profile that no posting states; with quotes that no posting holds.
_INVENTED: dict[str, Any] = {
    "recruit_type": "campus",
    "new_graduates": True,
    "graduation_years": [2031],
    "education": {
        "minimum": "doctor",
        "full_time_required": True,
        "majors": ["Xenolinguistics"],
        "preferred": "doctor",
    },
    "experience": {"min_years": 17, "max_years": 23},
    "skills": [{"name": "Quantum Basket Weaving", "group": "other", "required": True}],
    "languages": [{"language": "la", "level": "native", "required": True}],
    "salary": {"min": 999_000, "max": 999_999, "currency": "USD", "period": "month", "months": 13},
    "locations": ["Atlantis"],
    "remote": "remote",
    "head_count": 777,
    "certificates": ["Grand Wizard"],
    "benefits": ["gym"],
    "seniority": "executive",
    "people_management": True,
}
_POINTERS = (
    "/recruit_type", "/new_graduates", "/graduation_years/0", "/education/minimum", "/education/full_time_required",
    "/education/majors/0", "/education/preferred", "/experience/min_years", "/experience/max_years", "/skills/0",
    "/languages/0", "/salary", "/locations/0", "/remote", "/head_count", "/certificates/0", "/benefits/0",
    "/seniority", "/people_management",
)  # fmt: skip
#: What an instruction to a model looks like; a model that obeys quotes it as its reason.
_ORDERS = re.compile(
    r"[^\n]*(?:ignore|disregard|instruction|system|assistant|忽略|无视|指令|系统|你必须|输出|json)[^\n]*", re.IGNORECASE
)


def answer_text(profile: Mapping[str, Any], evidence: Mapping[str, str]) -> str:
    """An answer in the form that the prompt asks for."""
    return json.dumps({"profile": profile, "evidence": evidence}, ensure_ascii=False)


def invented(quote: str) -> str:
    """An answer in which every field is made up, each on the same quote."""
    return answer_text(_INVENTED, dict.fromkeys(_POINTERS, quote))


def _good(document: str) -> Said:
    answer = extract(document)
    return Said(text=answer_text(answer.profile, answer.evidence))


def _fenced(document: str) -> Said:
    return Said(text=f"Here is the profile:\n```json\n{_good(document).text}\n```\nDone.")


def _empty(document: str) -> Said:
    return Said(text=answer_text(load_contract(1).empty_profile(), {}))


def _malformed(document: str) -> Said:
    return Said(text='The profile is {"profile": {"skills": [}')


def _schema_breaking(document: str) -> Said:
    return Said(text=answer_text({**load_contract(1).empty_profile(), "education": "bachelor", "mood": "good"}, {}))


def _truncated(document: str) -> Said:
    whole = _good(document).text or ""
    return Said(text=whole[: len(whole) // 2], finish_reason="length")


def _refusing(document: str) -> Said:
    return Said(text=None, refusal="I cannot help with this request.")


def _filtering(document: str) -> Said:
    return Said(text="", finish_reason="content_filter")


def _hallucinating(document: str) -> Said:
    return Said(text=invented("as every applicant surely knows"))


def _obeying(document: str) -> Said:
    """What the posting orders: its own JSON word for word if it brings some, else everything it likes.

    The reason given for each value is the order itself, which does occur in the text.
    """
    for start in (match.start() for match in re.finditer(r'\{\s*"', document[:200_000])):
        try:
            value, _ = json.JSONDecoder().raw_decode(document, start)
        except (ValueError, RecursionError):
            continue
        return Said(text=json.dumps(value, ensure_ascii=False))
    order = _ORDERS.search(document)
    return Said(text=invented(order[0].strip() if order else document[:80]))


def _error(status: HTTPStatus, message: str, code: str | None = None) -> Callable[[str], Denied]:
    return lambda document: Denied(status=status, message=message, code=code)


BEHAVIOURS: dict[str, Callable[[str], Said | Denied]] = {
    "good": _good,
    "fenced": _fenced,
    "slow": _good,
    "late": _good,
    "hanging": _good,
    "dripping": _good,
    CUT_OFF: _good,
    WEB_PAGE: _good,
    UNCOUNTED: _good,
    "empty": _empty,
    "malformed": _malformed,
    "schema_breaking": _schema_breaking,
    "truncated": _truncated,
    "refusing": _refusing,
    "filtering": _filtering,
    "hallucinating": _hallucinating,
    "obeying": _obeying,
    "rate_limited": _error(HTTPStatus.TOO_MANY_REQUESTS, "Rate limit reached for requests", "rate_limit_exceeded"),
    "no_credit": _error(
        HTTPStatus.TOO_MANY_REQUESTS, "You exceeded your current quota, please check your plan", "insufficient_quota"
    ),
    "server_error": _error(HTTPStatus.INTERNAL_SERVER_ERROR, "The server had an error"),
    "overloaded": _error(HTTPStatus.SERVICE_UNAVAILABLE, "The engine is currently overloaded"),
    "wrong_key": _error(HTTPStatus.UNAUTHORIZED, "Incorrect API key provided", "invalid_api_key"),
    "forbidden": _error(HTTPStatus.FORBIDDEN, "The project may not use this model", "forbidden"),
    "unknown_model": _error(HTTPStatus.NOT_FOUND, "The model does not exist", "model_not_found"),
    "too_long": _error(
        HTTPStatus.BAD_REQUEST,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "context_length_exceeded",
    ),
    "policy": _error(
        HTTPStatus.BAD_REQUEST, "The request was blocked by the content policy", "content_policy_violation"
    ),
    "no_such_format": _error(
        HTTPStatus.BAD_REQUEST, "This response_format type is unavailable now", "invalid_request_error"
    ),
    "bad_request": _error(HTTPStatus.BAD_REQUEST, "Unsupported parameter: temperature", "unsupported_parameter"),
}

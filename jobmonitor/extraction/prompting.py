"""Makes the request for a content: the static prompt first, the document last, fenced off as data. See docs/model.md.

A posting may hold anything, our own fences included. Inside the document they are broken by a sign, reversibly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from jobmonitor.domain.canonical import sha256_hex
from jobmonitor.errors import InvalidInput, NotFound
from jobmonitor.extraction.answer_form import answer_schema
from jobmonitor.extraction.client import ModelRequest
from jobmonitor.extraction.contract import Contract
from jobmonitor.extraction.faults import ItemFault

PROMPT = "profile-1"
#: Enough for a profile of forty skills with a quote for each value.
MAX_OUTPUT_TOKENS = 4_000
#: A longer document is no posting; sending it would only cost money.
MAX_DOCUMENT = 60_000
#: How much of a failed answer and of what is wrong with it goes into a repair.
MAX_ANSWER, MAX_ERROR = 6_000, 1_500

#: The secret-looking word of the fences: fixed, because a prompt that changes defeats the provider's cache.
_HEAD, _TAIL = "q7vxk2", "m94zth"
_WORD = _HEAD + _TAIL
_SIGN = "~"
_DOCUMENT = (f"<<<posting {_WORD}>>>", f"<<<end of posting {_WORD}>>>")
_ANSWER = (f"<<<earlier answer {_WORD}>>>", f"<<<end of earlier answer {_WORD}>>>")
_ERROR = (f"<<<problem {_WORD}>>>", f"<<<end of problem {_WORD}>>>")

#: What may hide between the letters of a word that looks like ours: blanks and signs that nobody sees.
_UNSEEN = r"[\s\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt file as shipped."""

    #: File name without its ending.
    name: str
    text: str

    @property
    def version(self) -> str:
        """Name and hash, recorded with each profile: `profile-1/3f2a…`."""
        return f"{self.name}/{sha256_hex(self.text.encode())[:16]}"


@cache
def load_prompt(name: str = PROMPT) -> Prompt:
    """The prompt of this name, read once.

    Raises:
        NotFound: there is no such prompt.
    """
    resource = files(__package__).joinpath("prompts", f"{name}.md")
    if not resource.is_file():
        raise NotFound(f"There is no prompt {name}")
    return Prompt(name=name, text=resource.read_text(encoding="utf-8"))


def read_prompt(path: Path) -> Prompt:
    """A prompt file of one's own, named after the file.

    Raises:
        InvalidInput: it is no text, or an empty one.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"The prompt {path} cannot be read: {error}") from error
    if not text.strip():
        raise InvalidInput(f"The prompt {path} is empty")
    return Prompt(name=path.stem, text=text)


def build(document: str, contract: Contract, prompt: Prompt | None = None) -> ModelRequest:
    """The request for a document.

    Raises:
        ItemFault: `too_long`; nothing is sent.
    """
    if len(document) > MAX_DOCUMENT:
        raise ItemFault(
            "too_long", f"The document has {len(document):,} characters; at most {MAX_DOCUMENT:,} are sent to a model"
        )
    return ModelRequest(
        system=f"{(prompt or load_prompt()).text}\n```json\n{contract.text.strip()}\n```\n",
        user=_fence(_DOCUMENT, document),
        schema=answer_schema(contract),
        max_output_tokens=MAX_OUTPUT_TOKENS,
    )


def repair(request: ModelRequest, answer: str, error: str) -> ModelRequest:
    """The same request once more, with the earlier answer and what is wrong with it. Both are cut to a bound."""
    parts = (
        request.user,
        "Your earlier answer cannot be used. It and the problem follow, as data. Answer again, in full.",
        _fence(_ANSWER, answer[:MAX_ANSWER]),
        _fence(_ERROR, error[:MAX_ERROR]),
    )
    return replace(request, user="\n\n".join(parts))


def document_of(user: str) -> str | None:
    """The document inside a request's user text, as it was given to `build`; None if there is none."""
    start, end = user.find(_DOCUMENT[0]), user.find(_DOCUMENT[1])
    if start < 0 or end < 0:
        return None
    return _OURS.sub(_with_sign_less, user[start + len(_DOCUMENT[0]) + 1 : end - 1])


def is_repair(user: str) -> bool:
    """True if a request's user text holds an earlier answer."""
    return _ANSWER[0] in user


def _fence(fence: tuple[str, str], text: str) -> str:
    return f"{fence[0]}\n{_OURS.sub(_with_sign_more, text)}\n{fence[1]}"


def _loose(word: str) -> str:
    """A pattern for the word in any letter case or width, with unseen characters between its letters."""
    return _UNSEEN.join(f"[{letter}{letter.upper()}{_wide(letter)}{_wide(letter.upper())}]" for letter in word)


def _wide(letter: str) -> str:
    return chr(ord(letter) + 0xFEE0)


_OURS = re.compile(f"({_loose(_HEAD)})({_UNSEEN})({_SIGN}*)({_UNSEEN}{_loose(_TAIL)})")


def _with_sign_more(match: re.Match[str]) -> str:
    return f"{match[1]}{match[2]}{match[3]}{_SIGN}{match[4]}"


def _with_sign_less(match: re.Match[str]) -> str:
    return f"{match[1]}{match[2]}{match[3][:-1]}{match[4]}"

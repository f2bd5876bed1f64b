"""Composing a posting's text from the phrase banks, so that it reads like one and repeats no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from jobmonitor.demo.companies import Company
from jobmonitor.demo.texts import NESTED, Block, BlockKind, Language, Part, Text, bank

#: Chinese numerals as Tencent's RequireWorkYearsName spells them.
YEARS = {0: "不限", 1: "一年以上工作经验", 2: "两年以上工作经验", 3: "三年以上工作经验", 5: "五年以上工作经验"}

#: Lines that a careless rule mistakes; every fifth posting of an engineering family carries one, in turn.
TRAPS: dict[Language, tuple[str, ...]] = {
    "zh": (
        "2.5万-4万/月·15薪，面试表现优异者可谈",
        "系统需支撑10⁵级并发连接，P99延迟低于20毫秒",
        "精通C语言，理解指针与内存布局",
        "熟练使用 Python 与 Shell 编写工具",
    ),
    "en": (
        "The base salary is 2.5 times the local median, reviewed every 12 months",
        "You are at home with systems of 10⁵ open connections",
        "Solid C and knowledge of embedded targets",
        "Scripting in Python for everyday tasks",
    ),
    "de": (
        "Die Anlage verarbeitet 10⁵ Ereignisse pro Sekunde",
        "Sehr gute Kenntnisse in C und im Umgang mit Oszilloskopen",
        "Automatisierung mit Python gehört zum Alltag",
    ),
}

#: A line with a private number, which is no part of a posting's content; the page fills the number in.
CONTACT = "如有疑问请致电{phone}，工作日9点至18点。"

HEADINGS: dict[Language, tuple[str, str, str, str]] = {
    "zh": ("岗位亮点", "工作内容", "任职要求", "加分项"),
    "en": ("About the role", "What you will do", "What you bring", "Nice to have"),
    "de": ("Deine Rolle", "Deine Aufgaben", "Dein Profil", "Das wäre schön"),
}


@dataclass(frozen=True, slots=True)
class Opening:
    """A composed text with what the site states beside it."""

    text: Text
    family: str
    language: Language
    category: str
    years: int
    #: Distinct words that fill the bank's slots, kept for later edits.
    slots: tuple[tuple[str, str], ...]

    def fill(self, sentence: str) -> str:
        """A sentence of the bank with this opening's words."""
        return sentence.format_map(dict(self.slots))


def compose(company: Company, rng: Random, ordinal: int) -> Opening:
    """The `ordinal`-th opening of a company; every 40th says next to nothing, as some real ones do."""
    language = company.languages[0] if rng.random() < 0.7 else company.languages[-1]
    words = bank(language)
    family = rng.choice(sorted(words["families"]))
    lines = words["families"][family]
    slots = _slots(words, lines, rng)
    years = rng.choice(sorted(YEARS))
    title = rng.choice(lines["titles"])
    if rng.random() < 0.6:
        title = ("{}（{}）" if language == "zh" else "{}, {}").format(title, rng.choice(lines["directions"]))
    opening = Opening(Text(title, ()), family, language, lines["category"], years, slots)
    blocks = _BUILDERS[company.system](company, opening, words, rng, ordinal)
    return Opening(Text(title, tuple(blocks)), family, language, lines["category"], years, slots)


def _slots(words: dict[str, Any], lines: dict[str, Any], rng: Random) -> tuple[tuple[str, str], ...]:
    tech, tech2 = rng.sample(lines["techs"], 2)
    return (
        ("product", rng.choice(words["products"])),
        ("team", rng.choice(words["teams"])),
        ("tech", tech),
        ("tech2", tech2),
        ("n", str(rng.choice((3, 5, 8, 12, 20, 30, 45, 60, 80)))),
    )


def _pick(opening: Opening, sentences: Sequence[str], least: int, rng: Random) -> tuple[str, ...]:
    count = min(len(sentences), rng.randint(least, least + 3))
    return tuple(opening.fill(sentence) for sentence in rng.sample(list(sentences), count))


def _trap(language: Language, ordinal: int) -> tuple[str, ...]:
    traps = TRAPS[language]
    return (traps[ordinal // 5 % len(traps)],) if ordinal % 5 == 0 else ()


def _ended(lines: Sequence[str], mark: str, last: str) -> tuple[str, ...]:
    return (*(line + mark for line in lines[:-1]), lines[-1] + last) if lines else ()


def _block(part: Part, kind: BlockKind, lines: Sequence[str]) -> list[Block]:
    return [Block(part, kind, tuple(lines))] if lines else []


def _chinese(company: Company, opening: Opening, words: dict[str, Any], rng: Random, ordinal: int) -> list[Block]:
    """Two plain texts: duties with a lead, requirements with pay, wishes and contact behind."""
    if ordinal % 40 == 39:
        line = f"欢迎加入{company.name}，待遇面议，编号{ordinal:05d}。"
        return [Block("duties", "paragraph", (line,))]
    lines = words["families"][opening.family]
    lead = opening.fill("本岗位属于{team}，服务于{product}业务，") + f"团队规模{rng.randint(6, 400)}人。"
    asked = f"{opening.years}年以上相关工作经验" if opening.years else "经验不限，接受优秀应届毕业生"
    if company.system == "joinqq":
        asked = f"{2027 + opening.years % 2}届毕业生，毕业时间以证书为准"
    needs = (f"{rng.choice(words['degrees'])}，{asked}", *_pick(opening, lines["requirements"], 3, rng))
    # Pay stands on a line of its own, where "2." looks like a list mark.
    pay, trap = (_trap("zh", ordinal), ()) if ordinal % 20 == 0 else ((), _trap("zh", ordinal))
    wishes = _pick(opening, lines["pluses"], 1, rng)[:2]
    closing = [rng.choice(words["benefits"]) + "。", opening.fill(rng.choice(words["closings"]))]
    return [
        *_block("duties", "paragraph", (lead,)),
        *_block("duties", "numbers", _ended(_pick(opening, lines["duties"], 3, rng), "；", "。")),
        *_block("requirements", "numbers", _ended((*needs, *trap), "；", "。")),
        *_block("requirements", "paragraph", pay),
        *_block("requirements", "paragraph", ("加分项：",)),
        *_block("requirements", "bullets", _ended(wishes, "；", "。")),
        *_block("requirements", "paragraph", closing[: rng.choice((1, 2))]),
        *_block("requirements", "paragraph", (CONTACT,) if ordinal % 11 == 3 else ()),
    ]


_ABOUT = {
    "en": "This is a role on the {team} team, {size} people who look after {product}. It reports to the head of "
    "{department}, and most of the team works from {city} or close by.",
    "de": "Du verstärkst das Team {team}: {size} Menschen rund um die Entwicklung {product}. Du arbeitest im Bereich "
    "{department}.",
    "zh": "",
}
_ASKED = {
    "en": "{years}+ years of experience in a similar role",
    "de": "Mindestens {years} Jahre Erfahrung in ähnlicher Rolle",
}
_SHORT = {
    "en": "Talent pool {ordinal}: tell us about yourself.",
    "de": "Initiativbewerbung {ordinal}: erzähl uns von dir.",
}


def _western(company: Company, opening: Opening, words: dict[str, Any], rng: Random, ordinal: int) -> list[Block]:
    """One description: role, duties with a nested list, profile, wishes, benefits; the board's text around it."""
    frame = (Block("intro", "paragraph", (company.intro,)), Block("closing", "paragraph", (company.conclusion,)))
    if ordinal % 40 == 39:
        line = _SHORT[opening.language].format(ordinal=ordinal)
        return [frame[0], Block("duties", "paragraph", (line,)), frame[1]]
    lines, slots = words["families"][opening.family], dict(opening.slots)
    about = _ABOUT[opening.language].format(
        size=rng.randint(4, 180),
        department=rng.choice(company.departments),
        city=company.cities[0],
        **slots,
    )
    duties = _pick(opening, lines["duties"], 4, rng)
    nested = tuple(NESTED + line for line in _pick(opening, lines["pluses"], 1, rng)[:2])
    asked = (_ASKED[opening.language].format(years=opening.years),) if opening.years else ()
    needs = (rng.choice(words["degrees"]), *asked, *_pick(opening, lines["requirements"], 3, rng))
    head = HEADINGS[opening.language]
    return [
        frame[0],
        *_block("duties", "heading", head[:1]),
        *_block("duties", "paragraph", (about,)),
        *_block("duties", "heading", head[1:2]),
        *_block("duties", "bullets", (duties[0], *nested, *duties[1:]) if ordinal % 3 == 0 else duties),
        *_block("requirements", "heading", head[2:3]),
        *_block("requirements", "bullets", (*needs, *_trap(opening.language, ordinal))),
        *_block("requirements", "heading", head[3:4]),
        *_block("requirements", "numbers" if ordinal % 4 == 1 else "bullets", rng.sample(words["benefits"], 3)),
        frame[1],
    ]


_BUILDERS = {"tencent": _chinese, "joinqq": _chinese, "greenhouse": _western, "lever": _western}

"""The employers of the simulated market: three on Tencent's shape, four on Greenhouse's, one on each of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from jobmonitor.demo.texts import Language
from jobmonitor.domain.reference import source_key

System: TypeAlias = Literal["tencent", "greenhouse", "joinqq", "lever"]
#: Systems whose postings are two plain texts in Chinese, and those whose postings are HTML under a board's own text.
CHINESE: tuple[System, ...] = ("tencent", "joinqq")
WESTERN: tuple[System, ...] = ("greenhouse", "lever")
SYSTEMS = CHINESE + WESTERN


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """One employer with one source."""

    system: System
    #: Board part of the source key.
    board: str
    name: str
    #: Languages its postings are written in, the usual one first.
    languages: tuple[Language, ...]
    #: Open postings on the first day at scale 1.
    size: int
    cities: tuple[str, ...]
    departments: tuple[str, ...]
    #: Board-wide text before and after each description (Greenhouse and Lever join it in).
    intro: str = ""
    conclusion: str = ""

    @property
    def source(self) -> str:
        """The source key."""
        return source_key(self.system, self.board)


_CHINA = ("深圳", "北京", "上海", "广州", "成都", "武汉", "西安", "杭州", "南京", "重庆")
_WORLD = ("London", "Berlin", "New York", "Toronto", "Singapore", "Dublin", "Austin", "Lisbon", "Remote")
_DACH = ("Berlin", "Hamburg", "München", "Leipzig", "Zürich", "Wien", "Köln")

COMPANIES: tuple[Company, ...] = (
    Company(
        system="tencent",
        board="xinghe",
        name="星河互动",
        languages=("zh",),
        size=120,
        cities=_CHINA,
        departments=("互动娱乐事业群", "平台与内容事业群", "技术工程事业群", "云与智慧产业事业群"),
    ),
    Company(
        system="tencent",
        board="yunfan",
        name="云帆科技",
        languages=("zh",),
        size=90,
        cities=_CHINA[:8],
        departments=("云计算部", "大数据部", "企业服务部"),
    ),
    Company(
        system="tencent",
        board="lanjing",
        name="蓝鲸出行",
        languages=("zh",),
        size=70,
        cities=_CHINA[2:],
        departments=("出行平台部", "自动驾驶部", "安全中心"),
    ),
    Company(
        system="greenhouse",
        board="larkspur",
        name="Larkspur",
        languages=("en",),
        size=110,
        cities=_WORLD,
        departments=("Engineering", "Product", "Data", "Sales", "Customer Experience"),
        intro="Larkspur builds the money movement that small businesses never have to think about. More than 40,000 "
        "shops, studios & clinics in eleven countries get paid through us.",
        conclusion="Larkspur is an equal opportunity employer. We decide on merit, and we make adjustments for "
        "candidates who need them: tell us how we can help.",
    ),
    Company(
        system="greenhouse",
        board="saltmarsh",
        name="Saltmarsh Robotics",
        languages=("en",),
        size=80,
        cities=_WORLD[:6],
        departments=("Robotics", "Software", "Operations", "People"),
        intro="Saltmarsh makes quiet machines for heavy work. Our robots move about 2 million parcels a day, and the "
        "people beside them go home without sore backs.",
        conclusion="We welcome applications from everyone, whatever their background. Accommodation is available "
        "throughout the process.",
    ),
    Company(
        system="greenhouse",
        board="brightfold",
        name="Brightfold Health",
        languages=("en",),
        size=70,
        cities=_WORLD[2:],
        departments=("Clinical", "Engineering", "Go-to-Market", "Finance"),
        intro="Brightfold helps clinics run on time. We are 300 people, half of us former nurses, doctors or "
        "receptionists, and we measure ourselves by minutes of waiting saved.",
        conclusion="Offers depend on a background check as required by local law. Brightfold takes part in E-Verify.",
    ),
    Company(
        system="greenhouse",
        board="nordwerk",
        name="Nordwerk",
        languages=("de", "en"),
        size=60,
        cities=_DACH,
        departments=("Technik", "Vertrieb", "Betrieb", "Verwaltung"),
        intro="Nordwerk entwickelt und betreibt Lagertechnik für den Mittelstand. Über 450 Menschen arbeiten bei uns "
        "an Anlagen, die leise, sparsam & zuverlässig sind.",
        conclusion="Wir freuen uns auf deine Bewerbung, unabhängig von Herkunft, Alter, Geschlecht oder Behinderung.",
    ),
    Company(
        system="joinqq",
        board="qinghe",
        name="青禾科技",
        languages=("zh",),
        size=80,
        cities=_CHINA,
        departments=("平台研发群", "内容生态群", "智能硬件群"),
    ),
    Company(
        system="lever",
        board="windrose",
        name="Windrose",
        languages=("en",),
        size=80,
        cities=_WORLD,
        departments=("Navigation", "Fleet", "Growth", "People"),
        intro="Windrose plots courses for cargo ships. A third of the world's dry freight sails on routes we drew, and "
        "it burns a tenth less fuel.",
        conclusion="Windrose hires for curiosity & care. Whoever you are, write to us; we answer every letter.",
    ),
)

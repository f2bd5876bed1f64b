"""HTML → Markdown: what a reader sees, whatever the markup."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobmonitor.domain.html import to_markdown

GOLDEN = Path(__file__).parent / "golden"

HIDDEN = [
    "<p hidden>X</p>",
    '<p style="DISPLAY : none !important">X</p>',
    '<p style="visibility:hidden">X</p>',
    '<span style="font-size:0px">X</span>',
    '<p style="font:0/0 a">X</p>',
    '<div style="width:0;height:0;overflow:hidden">X</div>',
    '<div style="height:0px;overflow:hidden"><p>X</p></div>',
    '<div style="opacity:0">X</div>',
    '<div style="position:absolute;left:-9999px">X</div>',
    '<div style="text-indent:-9999px">X</div>',
    '<div style="position:absolute;clip:rect(0 0 0 0)">X</div>',
    '<div style="clip-path:inset(50%)">X</div>',
    '<div style="transform:scale(0)">X</div>',
    '<p style="color:#fff;background:#fff">X</p>',
    '<b aria-hidden="true">X</b>',
    "<template><p>X</p></template>",
    "<noscript>X</noscript>",
    "<script>var a = 'X'</script>",
    "<!-- X -->",
    "<textarea>X</textarea><select><option>X</select><button>X</button>",
    '<style>.h{display:none}</style><p class="a h">X</p>',
    "<style>/* c */ #q, .z {visibility:hidden}</style><p id=q>X</p><b class=z>X</b>",
    "<style>@media print{p{color:red}} div.k > span{display:none}</style><div class=k><span>X</span></div>",
    "<style>.h{display:none!important}</style><p class=h style='display:block'>X</p>",
    "<style><!-- .h{display:none} --></style><p class=h>X</p>",
    "<style>trap{display:none}</style><trap>X</trap>",
    '<div style="display:none"><div><p>X</p>X</div>X</div>',
]
VISIBLE = [
    '<style>.a{display:none}.a.b{display:block}</style><p class="a b">Y</p>',
    '<ul style="font-size:0"><li style="font-size:14px">Y</li></ul>',
    '<div style="visibility:hidden"><p style="visibility:visible">Y</p></div>',
    '<p style="opacity:0.9;overflow:hidden;text-indent:-18pt">Y</p>',
    "<style>@media (max-width:600px){.m{display:none}}</style><p class=m>Y</p>",
    "<style>p:hover{display:none}</style><p>Y</p>",
    "<style>a{display:none</style><p>Y</p>",
    '<p style="left:-9999px">Y</p>',
    '<p style="font-size:80%">Y</p>',
    '<p style="display:none"></p>Y',
    "<noscript>q</noscript>Y",
]


@pytest.mark.parametrize("markup", HIDDEN)
def test_hidden_text_is_left_out(markup: str) -> None:
    assert to_markdown(markup + "<p>Seen</p>") == "Seen"
    assert to_markdown("<p>Seen</p>" + markup) == "Seen"


@pytest.mark.parametrize("markup", VISIBLE)
def test_what_is_seen_stays(markup: str) -> None:
    assert "Y" in to_markdown(markup)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<ul><li><p>a</p><p>more</p></li></ul>", "- a\n\nmore"),
        ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
        ("<h2>x<br>y</h2><p>z</p>", "## x y\n\nz"),
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td>x<br>y</td></tr></table>",
            "| a | b |\n| --- | --- |\n| 1\\|2 | x y |",
        ),
        ("<table><tr><td><ul><li>a</li></ul></td><td>b</td></tr></table>", "- a\n\nb"),
        ("<div>a</div><div>b<span>c</span></div>d", "a\nbc\nd"),
        ("10<sup>5</sup> CO<sub>2</sub> 1<sup>st</sup>", "10⁵ CO₂ 1st"),
        ("<a href='https://x.example/y'>site</a> <b>bold</b> 2*3*4", "site bold 2*3*4"),
        ("职责：\n写代码\n做<b>评审</b>", "职责：\n写代码\n做评审"),
        ("5 < 6 &amp; x > 3", "5 < 6 & x > 3"),
        ("&lt;p&gt;a&lt;/p&gt;&lt;p&gt;b&amp;amp;c&lt;/p&gt;", "a\n\nb&c"),
        ("<p>AT&amp;amp;T</p>", "AT&T"),
        ("", ""),
        ("<", "<"),
        ("<!doctype html>", ""),
    ],
)
def test_structure(markup: str, expected: str) -> None:
    assert to_markdown(markup) == expected


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.html")), ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    assert to_markdown(path.read_text("utf-8")) + "\n" == path.with_suffix(".md").read_text("utf-8")


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 10_000 + "x" + "</div>" * 10_000,
        "<ul><li>a" * 5_000,
        "<table><tr><td>" * 3_000 + "x",
        '<p title="' + "x" * 2_000_000 + '">y</p>',
        '<p style="' + "a:b;" * 200_000 + '">y</p>',
        "<" * 300_000,
        "&" + "amp;" * 200_000 + "lt;p",
        " " * 300_000 + "x",
        "•" * 100_000,
        "1、a；" * 20_000,
        "<style>" + "{" * 100_000,
    ],
    ids=range(11),
)
def test_hostile_markup_costs_seconds_at_most(markup: str) -> None:
    started = time.perf_counter()
    to_markdown(markup)
    assert time.perf_counter() - started < 10


@given(st.text(alphabet=st.sampled_from("<>/=\"'&;#pdivulstye{}:-1、•| \n\x00职x"), max_size=120))
@settings(max_examples=300, deadline=None)
def test_never_raises_and_is_stable(markup: str) -> None:
    once = to_markdown(markup)
    assert to_markdown(markup) == once

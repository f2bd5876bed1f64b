"""The rules of redaction as one table: kind, pattern, what makes a match a finding."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from datetime import date
from importlib.resources import files
from typing import NamedTuple

from jobmonitor.items import Finding

_WORDS = tomllib.loads((files("jobmonitor.domain") / "redaction.toml").read_text("utf-8"))
_FREE_MAIL = frozenset(_WORDS["free_mail"])
_ROLES = frozenset(_WORDS["roles"])
_GIVEN_NAMES = frozenset(_WORDS["given_names"])
_NOT_VALUES = frozenset(_WORDS["not_values"])
_SURNAMES = _WORDS["surnames"].strip()

_INITIALS = "[bpmfdtnlgkhjqxrzcsyw]|zh|ch|sh"
_FINALS = "iang|iong|uang|ang|eng|ong|ian|iao|ing|uai|uan|ai|ei|ao|ou|an|en|ia|ie|iu|in|ua|uo|ui|un|ue|er|a|o|e|i|u|v"
_PINYIN_NAME = re.compile(
    rf"(?:{'|'.join(sorted(_WORDS['pinyin_surnames'], key=len, reverse=True))})"
    rf"(?:(?:{_INITIALS})?(?:{_FINALS})){{1,2}}\d{{0,4}}"
)


#: A role without a sign between it and the rest: acmehr@, zhaopin2026@; lilyhr@ is a person's all the same.
_GLUED_ROLE = re.compile(
    r"(?:zhaopin|recruit|career|jobs|campus|talent).*|"
    r"(?P<rest>[a-z]+?)(?:zhaopin|recruit|recruiting|recruitment|careers|jobs|hiring|talent|rencai|hr)"
)


class Rule(NamedTuple):
    """One kind of private data."""

    kind: str
    #: The group `secret`, where there is one, is what is replaced; else the whole match.
    pattern: re.Pattern[str]
    #: Second look at a match, where a pattern cannot say it all.
    accept: Callable[[re.Match[str]], bool] | None = None
    #: One of the second words must occur in the lower-cased text, or the rule is not tried; () = always tried. The
    #: first is the rarest part of it: a single character is looked for twenty times as fast as a word.
    hints: tuple[tuple[str, str], ...] = ()
    #: A cheaper pattern that must occur in the lower-cased text, or the rule is not tried.
    gate: re.Pattern[str] | None = None

    def may_match(self, lowered: str) -> bool:
        """False where hints or gate rule it out, at a fraction of the pattern's price."""
        for rare, hint in self.hints:
            if rare in lowered and hint in lowered:
                break
        else:
            if self.hints:
                return False
        return self.gate is None or self.gate.search(lowered) is not None


# --- second looks ---------------------------------------------------------------------------------------------

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_LABEL = re.compile(r"身份证(?:号码?)?(?:为|是)?\W{0,3}$")
_PHONE_LABELS = frozenset({"tel", "phone", "mobile", "cell", "hr", "t", "m", "p", "wechat", "vx", "wx", "v", "_"})
_OTHER_NUMBER = re.compile(
    r"(?:编号|代码|信用代码|工号|许可证号?|登记号|备案号?|单号|订单|流水号|证书号|批号|账户|账号|税号|[职岗]位ID|"
    r"(?:job|req|post|ref|"
    r"posting)\.?[ _-]?(?:id|no\.?|number)|\bid|gh_jid|#)\W{0,3}$",
    re.IGNORECASE,
)


def _is_identity_card(match: re.Match[str]) -> bool:
    """18 digits with a real birth date and the right check digit, or any that are labelled 身份证."""
    digits = match[0]
    before = match.string[max(0, match.start() - 12) : match.start()]
    if _ID_LABEL.search(before):
        return True
    if len(digits) != 18 or _OTHER_NUMBER.search(before) or not _is_date(digits[6:14]):
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, digits[:17], strict=True))
    return "10X98765432"[total % 11] == digits[17].upper()


def _is_date(digits: str) -> bool:
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))
    except ValueError:
        return False
    return True


def _is_mobile(match: re.Match[str]) -> bool:
    """Not a posting id or the tail of one (MJ13812345678); letters before it may only say what it is."""
    before = match.string[max(0, match.start() - 16) : match.start()]
    letters = re.search(r"[A-Za-z_]+$", before)
    if letters and letters[0].lower() not in _PHONE_LABELS:
        return False
    after = match.string[match.end() : match.end() + 2].strip()
    return not after.startswith(("元", "万", "亿")) and not _OTHER_NUMBER.search(before)


def _is_personal_mailbox(match: re.Match[str]) -> bool:
    """Free mail, or a local part that reads like a person's name; a role in the local part makes it an office's."""
    local, host = match["local"].lower(), match["host"].lower().rstrip(".")
    parts = [part for part in re.split(r"[._+-]|\d+", local) if part]
    named = [p for p in parts if p not in _ROLES and (_PINYIN_NAME.fullmatch(p) or p in _GIVEN_NAMES)]
    role = _GLUED_ROLE.fullmatch(local)
    if role and role["rest"] and (_PINYIN_NAME.fullmatch(role["rest"]) or role["rest"] in _GIVEN_NAMES):
        return True
    if role or any(part in _ROLES for part in parts):
        return bool(named)
    if host in _FREE_MAIL:
        return True
    if local in host.split("."):
        return False  # mafengwo@mafengwo.example is the company's own name
    return bool(named) or _looks_like_full_name(local)


def _looks_like_full_name(local: str) -> bool:
    """`first.last`, `f.last`: two or three words of letters with a dot between."""
    return re.fullmatch(r"[a-z]+(?:[._][a-z]+){1,2}\d{0,3}", local) is not None


def _is_value(match: re.Match[str]) -> bool:
    """A word stands behind `=`, or something with a digit, a sign or mixed case behind `:`."""
    value = match["secret"]
    if value.lower().rstrip(".") in _NOT_VALUES or re.fullmatch(r"[*xX.\-_<>{}$%\[\]]+|[<{$\[%].*", value):
        return False
    if "=" in match["mark"] or "密" in match[0] or "口令" in match[0]:
        return True
    return re.search(r"\d|[!@#$%^&*+=_]|[a-z][A-Z]", value) is not None


def _is_handle(match: re.Match[str]) -> bool:
    """Not a word of technology: 微信：Android 开发 is none."""
    value = match["secret"]
    if value.lower() in _NOT_VALUES:
        return False
    return bool(match["mark"]) or re.search(r"\d{2}|_", value) is not None


def _has_digit(match: re.Match[str]) -> bool:
    return re.search(r"\d", match[0]) is not None


# --- the table ------------------------------------------------------------------------------------------------


def _with_rarest(hints: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Each hint behind its rarest part: its first sign or Chinese character, or itself."""
    return tuple(
        (next((c for c in hint if not c.isascii() or not (c.isalnum() or c == " ")), hint), hint) for hint in hints
    )


def _rule(kind: str, pattern: str, accept: Callable[[re.Match[str]], bool] | None = None, *hint: str) -> Rule:
    return Rule(kind, re.compile(pattern, re.IGNORECASE), accept, _with_rarest(hint))


def _exact(kind: str, pattern: str, accept: Callable[[re.Match[str]], bool] | None = None, *hint: str) -> Rule:
    return Rule(kind, re.compile(pattern), accept, _with_rarest(hint))


def _number(kind: str, gate: str, pattern: str, accept: Callable[[re.Match[str]], bool]) -> Rule:
    return Rule(kind, re.compile(pattern), accept, gate=re.compile(gate))


#: How a labelled secret begins: `key=`, `token: `, `"secret": `.
_ASSIGNED = re.compile(r"(?:key|token|secret|密钥)(?: ?[=:]|['\"])")
_BASE64 = r"[A-Za-z0-9+/=]"
_VALUE = r"(?P<secret>[!#-&*+\--:=?-Z^_a-z{}~]{4,64})"
_HANDLE = r"(?P<secret>[a-z][a-z0-9_-]{5,19})(?![a-z0-9_-])"

#: In order: what an earlier rule took is not looked at by a later one.
RULES: tuple[Rule, ...] = (
    _exact(
        "private_key",
        rf"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|{_BASE64}|[:,-](?!----)|Proc-Type|"
        rf"DEK-Info){{32,}}?"
        r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|(?=[^\sA-Za-z0-9+/=\\:,-]|\Z))",
        None, "-----begin",
    ),
    _exact("aws_key", r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        None, "akia", "asia", "abia", "acca"),
    _rule(
        "aws_key",
        r"(?:aws|secret).{0,20}(?:secret|access|key)\w{0,12}\W{1,6}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        None, "secret", "aws",
    ),
    _exact("github_token", r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
        None, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    _exact("gitlab_token", r"(?<![A-Za-z0-9])glpat-[\w-]{16,}", None, "glpat-"),
    _exact("slack_token", r"(?<![A-Za-z0-9])xox[abeoprs]-[\w-]{10,}|hooks\.slack\.com/services/[\w/]{20,}",
        None, "xox", "hooks.slack"),
    _exact("jwt", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{6,}", None, "eyj"),
    _exact("google_key", r"(?<![\w-])AIza[\w-]{30,}", None, "aiza"),
    _exact("stripe_key", r"(?<![A-Za-z0-9])(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}",
        None, "k_live_", "k_test_", "whsec_"),
    _exact("api_key", r"(?<![\w-])sk-(?:proj-|ant-|or-|live-)?[A-Za-z0-9_-]{18,}", _has_digit, "sk-"),
    _exact("api_key", r"(?<![A-Za-z0-9])(?:LTAI|AKID)[A-Za-z0-9]{12,}|(?<!\w)(?:hf|npm|pypi|dop_v1|"
        r"SG)[_.-][A-Za-z0-9_.-]{30,}",
        _has_digit, "ltai", "akid", "hf_", "npm_", "pypi-", "dop_v1", "sg."),
    _rule(
        "api_key",
        r"(?:api[ _-]?key|secret[ _-]?key|(?:access|auth|api|bearer)[ _-]?token|client[ _-]?secret|"
        r"app[ _-]?secret|密钥)['\"]?\s*[:=]\s*['\"`]?"
        r"(?P<secret>[A-Za-z0-9_\-/+.]{16,})",
        _has_digit, "key", "token", "secret", "密钥",
    )._replace(gate=_ASSIGNED),
    _rule("api_key", r"authorization['\"]?\s*[:=]\s*['\"]?(?:bearer|basic)\s+(?P<secret>[\w\-.+/=]{12,})",
        None, "authorization"),
    _rule("password", r"://[^\s:/@]{1,40}:(?P<secret>[^\s:/@]{3,60})@(?=[a-z0-9])", None, "://"),
    _rule(
        "password",
        rf"(?<![a-z])(?:password|passwd|passphrase|pwd|passcode)['\"`]?\s{{0,2}}(?P<mark>==?|:=?|"
        rf"->)\s{{0,2}}['\"`]?{_VALUE}",
        _is_value, "password", "passwd", "passphrase", "passcode", "pwd",
    ),
    _rule(
        "password",
        rf"(?:密码|口令|密碼)(?P<mark>\s{{0,2}}(?:[:=]|是|为|為)\s{{0,2}})['\"`“「]?{_VALUE}",
        _is_value, "密码", "口令", "密碼",
    ),
    _number(
        "id_card", r"\d\d{14}", r"(?<![A-Za-z\d_.-])[1-9]\d{14}(?:\d{2}[\dXx])?(?![A-Za-z\d_-]|\.\d)",
        _is_identity_card,
    ),
    _exact(
        "email",
        r"(?P<local>[A-Za-z0-9][A-Za-z0-9._%+-]{0,63})\s?(?:@|[\[({]\s?(?:at|AT|@)\s?[\])}]|#(?=(?:qq|163|126|"
        r"gmail|foxmail)\.com))\s?"
        r"(?P<host>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})(?![A-Za-z0-9])",
        _is_personal_mailbox,
        "@", "(at", "( at", "[at", "[ at", "{at", "#qq", "#163", "#126", "#gmail", "#foxmail",
    ),
    _number(
        "mobile",
        r"1[3-9]\d[ -]?\d{4}[ -]?\d{4}",
        r"(?<![\d.=&])(?<!\d-)(?<![^\u4e00-\u9fff]/)(?:[(]?(?:\+|00)?86[)]?[ -]{0,2})?1[3-9]\d[ -]?\d{4}[ -]?\d{4}"
        r"(?![\dA-Za-z]|[.-]\d)",
        _is_mobile,
    ),
    _rule(
        "wechat",
        r"(?:微信|薇信|威信|(?<![a-z])(?:wechat|weixin|wx|vx)|(?<![a-z\u4e00-\u9fff])[v微]|v信|加[v微]x?)"
        r"(?P<mark>[ ]?(?:号码?|账号|id|同号|联系|请?加)*[ ]?(?:[:=]|为|是|号)[ ]?)[\"'「【(]?"
        rf"{_HANDLE}",
        _is_handle, "微", "薇信", "威信", "wechat", "weixin", "wx", "vx", "v信", "v:", "加v",
    ),
    _rule(
        "wechat",
        rf"(?P<mark>加(?:我|hr|个)?(?:微信|微|v信|vx?|wx)|wechat id)[ ]?{_HANDLE}",
        _is_handle, "加微", "加v", "加wx", "加我", "加hr", "加个", "wechat id",
    ),
    _rule("wechat", rf"(?:微信|(?<![a-z])(?:vx|wx) )(?P<mark>)[ ]?{_HANDLE}", _is_handle, "微信", "vx ", "wx "),
    _rule("qq", r"(?<![a-z])(?:qq|扣扣)(?:号码?|[ ]?number)?[ ]?[:=是为][ ]?(?P<secret>[1-9]\d{4,10})(?!\d)",
        None, "qq", "扣扣"),
    _rule("qq", r"(?<![a-z])(?:qq|扣扣)(?:号码?)?[ ]?(?P<secret>[1-9]\d{5,10})(?!\d)(?![年月人万亿])",
        None, "qq", "扣扣"),
)  # fmt: skip

#: Kinds that are keys to something: the text is held back even after they were replaced.
CREDENTIALS = frozenset(
    {
        "private_key", "aws_key", "github_token", "gitlab_token", "slack_token", "jwt", "google_key", "stripe_key",
        "api_key", "password",
    }
)  # fmt: skip


# --- several people -------------------------------------------------------------------------------------------

_NOTICE_END = r"(?=[\W\d]{0,12}(?:第.{1,3}批\W?)?(?:\n|$)|如下|[:：])"
_NOTICE_HEAD = re.compile(
    r"^[#\s*]*[^\n]{0,60}(?:拟?(?:录用|聘用|录取|引进|入围|递补|合格|体检|面试|考察)|拟聘)(?:人员|人选|对象|考生|"
    rf"结果|者)*(?:的)?(?:名单公示|公示|名单|名册){_NOTICE_END}"
    rf"|^[#\s*]*[^\n]{{0,60}}(?:人员|名单|结果)公示{_NOTICE_END}"
)
_NOTICE_BODY = re.compile(
    r"(?:现将|以下为|以下是)[^\n。]{0,40}拟?(?:录用|聘用?|录取|引进|入围)[^\n。]{0,20}(?:公示|公布|名单)|"
    r"(?:拟(?:录用|聘用?|录取)|录用|聘用|入围)(?:人员|人选|考生)?名单(?:公示)?(?:如下|[:：\n])"
)
_NAME = rf"(?<![\u4e00-\u9fff])[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}(?![\u4e00-\u9fff])"
_MASKED = re.compile(r"(?<![\d*])\d{3,14}\*{3,}\d{2,4}[\dXx]?(?![\d*])")
_NAMED_NUMBER = re.compile(
    rf"(?=[{_SURNAMES}])(?P<name>{_NAME})[^\n\d]{{0,12}}(?<![\d.-])(?P<number>\d{{8,20}}[Xx]?|"
    rf"\d{{3,}}\*{{3,}}\d+)"
)
#: It begins with one digit: a search for a run of them is several times as slow.
_OWN_NUMBER = re.compile(r"\d(?:\d{7}|\*{3})")
_NAME_BEFORE = re.compile(
    rf"[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}[^\n\u4e00-\u9fff\d]{{0,8}}(?:电话|手机|联系方式)?\W{{0,4}}$"
)


def publicity_notice(folded: str) -> bool:
    """The text publishes who was hired or admitted (拟录用公示, 入围名单)."""
    if not any(word in folded for word in ("公示", "名单", "名册", "公布")):
        return False
    return _NOTICE_HEAD.search(folded.lstrip()) is not None or _NOTICE_BODY.search(folded) is not None


def people_listed(folded: str, findings: tuple[Finding, ...]) -> bool:
    """Two people with identity numbers or named mobile numbers, or three with any long number of their own."""
    masked = set(_MASKED.findall(folded)) if "***" in folded else set()
    if len(_distinct(folded, findings, "id_card") | masked) >= 2:
        return True
    mobiles = [finding for finding in findings if finding.kind == "mobile"]
    named = [f for f in mobiles if _NAME_BEFORE.search(folded[max(0, f.start - 20) : f.start])]
    if len(_distinct(folded, tuple(named), "mobile")) >= 2 or len(_distinct(folded, findings, "mobile")) >= 3:
        return True
    return (
        _OWN_NUMBER.search(folded) is not None and len({match["name"] for match in _NAMED_NUMBER.finditer(folded)}) >= 3
    )


def _distinct(folded: str, findings: tuple[Finding, ...], kind: str) -> set[str]:
    return {re.sub(r"\W", "", folded[f.start : f.end])[-11:] for f in findings if f.kind == kind}

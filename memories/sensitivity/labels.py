"""Where a text names a credential, and what may follow the name: the value of a password, a token or a code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.sensitivity.shapes import (
    UNIT_AFTER,
    bare,
    is_chosen_secret,
    is_code,
    is_placeholder,
    is_uuid,
    looks_random,
)

# Left edges are ASCII only: a Chinese character before a name is no word edge, but no part of it either.
_PASSWORD_EN = (
    r"requirepass|masterauth|p[a@4][s$5]{2}[ _-]?w[o0]rds?|passwd|pass[ _-]?phrase|pass[ _-]?code"
    r"|passw|psswd|pword|pwd|psw|pw|pass(?=[\s_-]?[=:])|log-?in\spw|mot de passe|contraseña"
    r"|(?:wi-?fi|network|wlan|router|hotspot|wpa2?)[ _-]?(?:key|psk)|psk|(?:wi-?fi|wlan"
    r"|hotspot)(?=\s?[:=])|security (?:answer|question)|secret answer"
    r"|passwort|kennwort|senha|wachtwoord|parola"
)
_PASSWORD_ZH = r"密码|密保(?:答案|问题)?|(?:热点|无线|网络)(?=[:=])|密碼|口令|暗号|密语|密令|解锁短语|通关词|пароль|パスワード|비밀번호"
_CODE_EN = (
    r"(?:(?:door|gate|alarm|entry|entrance|access|keypad|lock|padlock|locker|safe|vault|garage"
    r"|building|lift|elevator|unlock|pick[ -]?up|collection|parcel"
    r"|verification|security|confirmation|auth(?:entication)?|sms|one[ -]?time|2fa|two[ -]factor|otp"
    r"|mfa|login|log-in|recovery|backup|rescue|voicemail|sim|puk|parental"
    r"|meeting|zoom|conference|guest|host|front|back|flat|apartment|office|lobby|suitcase|bike|gym"
    r"|cabin|airbnb|phone|screen|tablet|card|atm|debit|bank)"
    r"[ -]?){1,2}(?:code|pin|combination|combo|passcode|number(?=\s(?:is|to)\s\d{4}\b))s?"
    r"|pin(?:[ -]?(?:code|number))?|otp|cvv2?|cvc|puk\d?|combination|(?:keypad|padlock|alarm|gate"
    r"|safe)(?=\s?[:=]|\sis\s)"
)
_CODE_ZH = (
    r"(?:取件|取货|提货|提取|取餐|取票|门禁|开门|单元门|大门|楼门|院门|家门|房门|门锁|验证|校验|动态|授权|激活|恢复|备用|救援|解锁|访问|登录|登陆|安全|通行|入会|参会|核验|核销|短信|手机"
    r"|支付|取款|交易|查询|服务|手势|开机|锁屏|开箱|开柜|开锁|撤防|报警|保险柜|保险箱|行李箱|密码锁|储物柜|快递柜|更衣柜|车库|信箱|会议|家长)(?:密码|验证码|口令|数字|暗码|码|号码)"
    r"|门禁(?=是|为|:|=)|门锁(?=是|为|:|=)|PIN\s?码|保险[箱柜]|密码锁"
)
_TOKEN_EN = (
    r"(?:(?:client|app|application|consumer|shared|webhook|signing|jwt|oauth|hmac|bot|corp|db|aws"
    r"|master|user|session)[ _-]?)?secret(?:[ _-]?(?:access)?[ _-]?key)?"
    r"|(?:api|access|auth|private|encryption|signing|master|account|storage|service|deploy|license"
    r"|licence|product|activation"
    r"|subscription|admin|root|bot|app|shared|session|ssh|server|write|read|project|personal|sdk|rpc"
    r"|map|maps)[ _-]?(?:api[ _-]?)?key"
    r"|apikey|app[ _-]?key|(?:(?:access|auth|refresh|bearer|id|api|session|deploy|bot|personal access"
    r"|registration|install|service|login|user|x-auth)[ _-]?)?token"
    r"|auth(?:orization)?[ _-]?code|credentials?|session[ _-]?(?:id|cookie)|sessionid|sid|cookie"
    r"|jsessionid|phpsessid|connect\.sid|pat|creds?|(?:csrf|xsrf)(?:[ _-]?token)?"
    r"|connection[ _-]?string|sas|redeem code|gift card|(?:ak|sk)(?=\s?[:=是为])"
)
_TOKEN_ZH = r"密钥|秘钥|金钥|私钥|令牌|凭证|凭据|授权码|授权串|访问串|注册码|激活码|兑换码|签名串|会话(?:号|id)|key值?(?=\s?[:=是为])"
_CAMEL = r"(?<=[a-z])(?:password|passwd|pwd|passphrase|secret|token|apikey|accesskey|secretkey|privatekey)"
_LABEL = re.compile(
    rf"(?<![a-z])(?:(?P<code_en>{_CODE_EN})|(?P<password_en>{_PASSWORD_EN})|(?P<token_en>{_TOKEN_EN}))\d?"
    rf"|(?=[取提门開开单大楼院家房验校动授激恢备救解访登安通入参核短手支交查服锁撤报保行密储快更车信会p])(?P<code_zh>{_CODE_ZH})"
    rf"|(?=[密口暗解通热无网пパ비])(?P<password_zh>{_PASSWORD_ZH})|(?=[密秘金私令凭授访注激兑签会k])(?P<token_zh>{_TOKEN_ZH})"
    rf"|(?P<camel>{_CAMEL})"
)
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")

_FILLER = (
    r"(?:\s{1,3}(?:for|to|of|on|at|in|into|by|from)\s[A-Za-z0-9' ._-]{1,40}?|\s?\([^()\n]{1,24}\)"
    r"|\s(?:value|number|string|field|itself)"
    r"|[\u4e00-\u9fff]{1,10}?(?=是|为|改|换|设|:|=|就|叫)|\s?[一二两三四五六七八九十\d]{1,2}\s?位数?字?)?"
)
_LINK = (
    r"(?:[\"'”」\])]{0,2}\s{0,3}(?:=>|->|:=|==?|:|>|是|为|叫做?|改[成为回]了?|换[成为回]了?|恢复[成为]|设[成为]了?|设置[成为]了?"
    r"|设的是|定[成为]了?|变[成为]了?|就是|还是|都是|写的是|用的是|等于|默认)\s{0,3}"
    r"(?:是|为|成)?|\s{1,3}(?:is|was|are|=|will be|becomes)(?:\s(?:now|still|currently|just|always"
    r"|simply|temporarily|again))?(?:\sset to|\schanged to|:)?\s{1,2}"
    r"|\s{1,3}(?:(?:has|have)\s(?:been\s)?|got\s|was\s|gets\s)?(?:changed|set|reset|updated"
    r"|rotated)\s(?:to|it to)\s{1,2}|,\s?(?:it'?s|it is)\s{1,2})"
)
_QUOTE = r"[\"'`“‘「『《]?"
_VALUE = r"([^\s\"'`“”‘’「」『』《》<>,;。、()]{3,200})"

_ASSIGNED = re.compile(rf"{_FILLER}({_LINK}){_QUOTE}{_VALUE}{UNIT_AFTER}", re.IGNORECASE)
_QUOTED = re.compile(rf"{_FILLER}{_LINK}[\"'`“‘「『]([^\"'`”’」』\n]{{4,60}})[\"'`”’」』]", re.IGNORECASE)
_BESIDE = re.compile(rf"(?:[\s,:]{{1,3}}|(?<=[\u4e00-\u9fff])){_QUOTE}{_VALUE}{UNIT_AFTER}", re.IGNORECASE)
_DIGITS = re.compile(
    rf"{_FILLER}(?:{_LINK}|\s{{0,3}}){_QUOTE}\s?(#?\*?[0-9](?:[ \-.]?[0-9]){{2,11}}[#*]?)(?"
    rf"![A-Za-z0-9]){UNIT_AFTER}",
    re.IGNORECASE,
)
_MIXED = re.compile(
    rf"{_FILLER}(?:{_LINK}|\s{{1,3}}){_QUOTE}\s?([A-Za-z0-9#*][A-Za-z0-9#*\-]{{3,40}})(?![A-Za-z0-9])", re.IGNORECASE
)

NOT_CREDENTIAL = re.compile(
    r"(?:idempotenc\w+|cache|primary|partition|sort|foreign|object|message|dedup\w*|routing|public"
    r"|unique|hash|map|dict|trace|span|request|row|index|缓存|主|幂等|分区|排序|公|唯一|外)"
    r"[ _-]?(?:key|token|键|钥)|sha-?\d|md5|digest|checksum|摘要|校验和|哈希|commit|etag|uuid|指纹|fingerprint|trace",
    re.IGNORECASE,
)
_ORDINARY_WORDS = """
required optional hashed salted encrypted expired wrong weak strong empty missing correct incorrect invalid
valid stored saved shared managed rotated reset changed unknown private secret hidden masked disabled enabled
blank set unset mandatory sensitive forgotten leaked compromised safe secure insecure long short unique random
important confidential generated unavailable different simple complex hard easy good fine there here needed
used unused present absent protected outdated stale working broken lost printed written kept never always
still below above case everything nothing something
"""
ORDINARY = frozenset(_ORDINARY_WORDS.split())


# So many names in one window are no prose; looking after each would cost more than it tells.
MOST_LABELS = 60


@dataclass(frozen=True)
class Label:
    """A credential's name in a text: what it names (password, code or token) and where it stands."""

    kind: str
    start: int
    end: int


def lowered(text: str) -> str:
    """ASCII letters in lower case, every position kept."""
    return text.translate(_ASCII_LOWER)


def labels(text: str) -> Iterator[Label]:
    """Every credential name in the text."""
    for match in _LABEL.finditer(lowered(text)):
        group = match.lastgroup or ""
        if group == "camel" and not text[match.start()].isupper():
            continue
        kind = group.partition("_")[0]
        if kind == "camel":
            kind = "password" if match[0].startswith("p") and match[0] != "privatekey" else "token"
        yield Label(kind, match.start(), match.end())


def is_assigned(text: str, label: Label) -> bool:
    """Whether a value that only a credential would have is assigned to the label."""
    match = _ASSIGNED.match(text, label.end)
    if not match:
        return False
    name = lowered(text[label.start : label.end])
    if name == "key" and not looks_random(bare(match[2])):
        return False
    if name.startswith("session") and name.endswith("id") and is_uuid(bare(match[2])):
        return False
    value, lead = match[2], text[max(0, label.start - 16) : match.start(2)]
    if is_chosen_secret(value):
        return not NOT_CREDENTIAL.search(lead) and (label.kind == "password" or _is_tokenlike(bare(value)))
    value = bare(value)
    if label.kind == "password" and value.isdigit():
        return 4 <= len(value) <= 12
    # In prose a capitalised inner letter shows a made-up word; in code it shows a class.
    prose = not match[1].strip().endswith(("=", ":", ">"))
    return prose and label.kind == "password" and _is_camel(value) and not is_placeholder(value)


def _is_tokenlike(value: str) -> bool:
    """A token's value is generated: short identifiers beside the word are names, limits or versions."""
    return len(value) >= 6 and (
        any(c.isdigit() for c in value) or not value.replace("_", "a").replace("-", "a").islower()
    )


def _is_camel(value: str) -> bool:
    return (
        value.isascii()
        and value.isalpha()
        and len(value) >= 8
        and any(c.isupper() for c in value[1:])
        and any(c.islower() for c in value)
    )


def is_quoted(text: str, label: Label) -> bool:
    """Whether a password is given as a phrase in quotes."""
    match = _QUOTED.match(text, label.end) if label.kind in ("password", "code") else None
    if not match:
        return False
    value = match[1].strip()
    if is_placeholder(value) or is_code(value) or value.lower() in ORDINARY or len(value.split()) > 8:
        return False
    return not re.match(r"(?:leave|please|enter|must|required|请|不|无|空|待|由)", value, re.IGNORECASE)


def is_beside(text: str, label: Label) -> bool:
    """Whether an unmistakable value stands right after the label."""
    match = _BESIDE.match(text, label.end)
    if not match:
        return False
    value = bare(match[1])
    if label.kind != "token":
        mixed = value.lower() != value and value.upper() != value and len(value) >= 8
        return len(value) >= 6 and (mixed or any(c.isdigit() for c in value)) and is_chosen_secret(value)
    lead = text[max(0, label.start - 16) : match.start(1)]
    return looks_random(value) and not is_uuid(value) and not NOT_CREDENTIAL.search(lead)


def is_code_value(text: str, label: Label) -> bool:
    """Whether a door code, PIN or one-time code follows the label."""
    name = lowered(text[label.start : label.end])
    if label.kind == "token" and name.isascii():
        return False
    match = _DIGITS.match(text, label.end)
    if match and (label.kind == "code" or not name.isascii() or name.startswith("passcode")):
        count = sum(c.isdigit() for c in match[1])
        if 4 <= count <= 12 or (count == 3 and ("cv" in name or name == "安全码")):
            return True
    match = _MIXED.match(text, label.end) if label.kind == "code" else None
    if not match:
        return False
    value = bare(match[1])
    return is_chosen_secret(value) and sum(c.isdigit() for c in value) >= 2


PASSWORD = rf"(?:(?<![a-z])(?:{_PASSWORD_EN})|{_PASSWORD_ZH})"
CODE = rf"(?:(?<![a-z])(?:{_CODE_EN})|{_CODE_ZH}|验证码|校验码|动态码)"

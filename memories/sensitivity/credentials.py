"""Passwords, codes, tokens and pairs that people write in prose, settings or commands, in Chinese and English."""

import base64
import re
from collections.abc import Callable, Iterator
from itertools import islice

from memories.sensitivity import labels
from memories.sensitivity.labels import CODE, NOT_CREDENTIAL, ORDINARY, PASSWORD
from memories.sensitivity.shapes import (
    UNIT_AFTER,
    bare,
    changes,
    is_chosen_secret,
    is_code,
    is_placeholder,
    is_uuid,
    looks_random,
)

_FLAGS = re.IGNORECASE

_PLAIN_WORD = re.compile(
    rf"(?:\b(?:my|our|his|her|their|mum's|dad's|guest|home|office|wi-?fi|router|nas|laptop"
    rf"|hotspot)\b)[\w' ]{{0,20}}?{PASSWORD}(?:\s(?:for|to|of|on)\s[\w' ]{{1,24}}?)?"
    r"\s(?:is|=)\s([a-z]{5,24})(?=[.!]?\s?$|[.!,;]\s)"
)

_SECRET_AFTER = re.compile(
    rf"(?<![\w@./-])([^\s\"'`“”‘’「」<>,;:。、()]{{4,64}})[\"'`”’」]?\s{{0,2}}(?:is|was|as|are|就是|是|为|当做?"
    rf"|作为|做|用作)\s{{0,2}}(?:(?:my|the|our|his|her|their|a)\s|我(?:家|们)?的?|他的|她的|家里的?|公司的?|默认的?|新的?)?"
    rf"(?:[\w-]{{1,16}}\s){{0,2}}?[^\s,。;a-z]{{0,6}}?({PASSWORD}|{CODE})(?![\w-]|\s(?:hash|manager"
    rf"|store|format|generator|policy|field|algorithm|reset|box|type|rule|管理|策略))"
)
_UNLOCK_VALUE = r"[\"'“「]?(#?[A-Za-z0-9][A-Za-z0-9!@#$%^&*_\-]{3,40})"
_UNLOCKS = (
    re.compile(
        rf"(?:unlock(?:s|ed)?|open(?:s|ed)?|get(?:s)?\s(?:you|us|me|him|her|them|one)\sin(?:to)?"
        rf"|lets?\s\w+\sin|disarm(?:s|ed)?|decrypt(?:s|ed)?|sign(?:s|ed)?\sin|log(?:s|ged)?\s?in"
        rf"|buzz(?:es)?\s\w+\sin)"
        rf"[\w' ]{{0,40}}?\s(?:with|using|by\styping|by\sentering|via|on|code|pin)\s(?:the\s|this\s"
        rf"|my\s)?(?:code|pin|phrase|word|password|passcode|combination|combo|number|digits"
        rf"|sequence)?[\s:]{{0,2}}{_UNLOCK_VALUE}{UNIT_AFTER}"
    ),
    re.compile(
        r"(?<![\w./-])[\"'“]?([A-Za-z0-9#*][A-Za-z0-9!@#$%^&*_\-]{3,40})[\"'”]?\s(?:will\s"
        r"|also\s)?(?:unlocks?|opens?|disarms?|decrypts?|gets?\s(?:you|us|me|them|him|her)\sin(?:to)?"
        r"|lets\s\w+\sin)(?![A-Za-z])"
    ),
    re.compile(
        rf"(?:type|enter|punch(?:\sin)?|dial|key\sin|press|input|tap(?:\sin)?"
        rf"|use)\s(?:the\s)?(?:code\s|pin\s|digits\s|phrase\s)?{_UNLOCK_VALUE}[\"'”]?\s(?:on|at|in"
        rf"|into|to|for|then|and)\s[\w' ]{{0,30}}?"
        r"(?:unlock|open|door|gate|alarm|keypad|get in|enter|disarm|panel|garage|safe|intercom)"
    ),
    re.compile(
        rf"(?:输入?|按|拨|敲|键入|报|说|转到|转|填|打|刷|念)\s?(?:入|下|上|一下)?\s?{_UNLOCK_VALUE}[\"'”」]?\s?(?:号?键|井号"
        rf"|星号)?[^\n。;]{{0,8}}?(?:开门|解锁|进门|进去|开锁|开了|就开|登录|登陆|登进|撤防|打开|能进|可以进|即可|确认)"
    ),
    re.compile(
        rf"(?:解锁|锁屏|开门|进门|开锁|开机|撤防|解压|解密|打开(?:保险|门|柜|锁)\S{{0,3}}|进(?:小区|楼|单元|机房|后台|系统|库房)|登(?:录|陆"
        rf"|进)\S{{0,8}}?)[^\n。;a-z0-9]{{0,10}}?(?:用的?是?|是|输入?|按|靠|报|拨|:|为)\s?{_UNLOCK_VALUE}{UNIT_AFTER}"
    ),
)

_LOGIN = (
    r"(?:log[ -]?in|sign[ -]?in|logon|credential|creds?|account|user(?:name)?|console|portal|ssh|vpn"
    r"|ftp|rdp|admin|账号|帐号|账户|用户名?|登录|登陆|账密|凭据|后台|控制台|堡垒机|跳板机|数据库|服务器|连接|oracle|mysql|postgres|测试号|共享盘)"
)
_PAIR = re.compile(
    r"(?<![\w/.@:-])([A-Za-z][\w.@-]{1,40})\s?(?:/|\||:|,\s?|／)\s?([^\s\"'`“”<>,;。、()/|:]{5,64})(?![\w/])"
)
_LOGIN_NEAR = re.compile(_LOGIN, _FLAGS)
_ADMIN_NAME = re.compile(
    r"^(?:admin\w*|root|sa|ops\w*|guest|test\w*|demo|sys\w*|oracle|deploy\w*|backup\w*|svc\w*|service\w*"
    r"|user\d*|super\w*)$",
    _FLAGS,
)
_LOGIN_THEN = re.compile(
    r"(?:(?:login|log[ -]?in|user(?:name)?|account|id)\s?[:=]?\s?(?:is\s|as\s)?|账号|帐号|用户名|登录名|工号"
    r"|账户)\s?[:=是为]?\s?[\"']?[\w.@-]{2,40}[\"']?[\s,;/]{1,3}(?:and\s|with\s|和|以及)?"
    rf"(?:{PASSWORD}|pass|code|密|码)\s?[:=是为]?\s?[\"']?([^\s\"'，,;。]{{3,64}})"
)

_URI = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.\-]{1,30}://([^\s:/@?#\"'<>]{0,80}):([^\s/@\"'<>]{2,200}"
    r"|[^\s@\"'<>]{2,200})@[^\s@\"'<>]{2,}"
)
_COMMANDS = re.compile(
    r"(?:mysql(?:dump)?|mariadb|sshpass|mongo(?:sh|dump)?|psql|redis-cli|ldapsearch|curl|wget|http"
    r"|smbclient|docker login|sqlcmd|sqlplus|rsync|7z|unzip|zip|openssl|kinit|net use|expect|az"
    r"|htpasswd)\b[^\n]{0,120}?"
    r"\s(?:-p\s?|-a\s|-w\s|-P\s|-u\s[\w.@-]{1,40}:|--pass(?:word|wd)?[= ]|--token[= ]|--secret[= ]"
    r"|-passin pass:|--user\s[\w.@-]{1,40}:|/user:\S{1,40}\s)[\"']?([^\s\"']{4,100})"
)
_FLAG_VALUE = re.compile(
    r"--?(?:password|passwd|pass|pwd|token|api-?key|secret|auth|access-?key|secret-?key"
    r"|client-?secret)[= ][\"']?([^\s\"']{4,200})",
    _FLAGS,
)
_SQL_USER = re.compile(
    r"(?:identified\s(?:with\s\w+\s)?by|with\s(?:encrypted\s)?password"
    r"|set\spassword\s?=?)\s{1,2}[\"']([^\"'\n]{3,100})[\"']"
)
_NETRC = re.compile(r"machine\s\S{1,80}\slogin\s\S{1,80}\spassword\s(\S{3,100})")
_BEARER = re.compile(
    r"(?<![A-Za-z0-9])(authorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?)?(?:bearer"
    r"|token)\s{1,4}([A-Za-z0-9._~+/=\-]+)",
    _FLAGS,
)
_BASIC = re.compile(r"(?<![A-Za-z0-9])basic\s{1,4}([A-Za-z0-9+/]{8,}={0,2})(?![A-Za-z0-9])", _FLAGS)
_SK = re.compile(r"(?<![A-Za-z0-9_])sk-[A-Za-z0-9_\-]{8,}", _FLAGS)
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?")
_PEM = re.compile(
    r"-{3,5}\s?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?\s?-{3,5}[\sA-Za-z0-9+/=:,.\\\-]{0,200}?"
    r"[A-Za-z0-9+/=]{24,}|PuTTY-User-Key-File-\d"
)
_WIREGUARD = re.compile(r"(?:PrivateKey|PresharedKey)\s?=\s?[A-Za-z0-9+/]{42,43}=")
_COOKIE = re.compile(
    r"(?<![A-Za-z])(?:set-)?cookie[\"']?\s{0,2}[:=是]\s{0,2}[\"']?[\w.\-]{1,40}=([^\s;\"']{8,400})"
    r"|(?<![A-Za-z])(?:j?session_?id|phpsessid|asp\.net_sessionid|connect\.sid|sessdata|bduss|csrftoken"
    r"|xsrf-token|sid)[\"']?\s{0,2}[=:]\s{0,2}[\"']?([^\s;\"',]{8,400})"
)
_SEED = re.compile(
    r"(?:seed|mnemonic|recovery\s?phrase|secret\sphrase|backup\sphrase|wallet\s(?:words|phrase)|助记词"
    r"|种子词|恢复词|恢复短语)[^\n]{0,40}?(?<![A-Za-z])(?:[a-z]{3,8}[\s,]{1,3}(?"
    r":\d{1,2}[.)]\s?)?){10,23}[a-z]{3,8}(?![A-Za-z])"
)
_SEED_ZH = re.compile(r"(?:助记词|种子词|恢复词)[^\n]{0,12}?(?:[\u4e00-\u9fff][\s,、]{1,2}){10,23}[\u4e00-\u9fff]")
_NUMBERED_SEED = re.compile(r"(?:\b\d{1,2}[.):]?\s?[a-z]{3,8}[\s,;]{1,3}){11,}")
_WALLET_KEY = re.compile(
    r"(?:私钥|private\s?key|secret\s?key|wallet|冷钱包|热钱包|钱包|seed"
    r"|种子)[^\n]{0,40}?(?<![A-Za-z0-9])((?:0x)?[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})(?![A-Za-z0-9])",
    _FLAGS,
)
_TOTP = re.compile(
    r"(?i:totp|2fa|mfa|two[ -]factor|authenticator|otp|验证器|两步验证|二次验证|动态口令"
    r"|令牌)[^\n]{0,30}?(?<![A-Za-z0-9])([A-Z2-7]{4}(?:[ -]?[A-Z2-7]{4}){3,15})(?![A-Za-z0-9])"
)
_RECOVERY = re.compile(
    r"(?:recovery|backup|rescue|emergency|scratch|one[ -]?time|恢复|备用|救援|应急|一次性|备份)[ _-]?(?:codes?"
    r"|keys?|passcodes?|代?码|密钥|口令)[^\n]{0,24}?(?<![A-Za-z0-9])((?=[A-Za-z0-9\-]{0,40}\d)"
    r"[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){1,7}"
    r"|(?=[A-Za-z]{0,9}\d)[A-Za-z0-9]{4,10}(?:\s(?=[A-Za-z]{0,9}\d)[A-Za-z0-9]{4,10}){1,7}"
    r"|(?=[a-z]{0,12}\d)[A-Za-z0-9]{8,32})(?![A-Za-z0-9])"
)
_APP_PASSWORD = re.compile(
    r"(?:授权码|专用密码|应用密码|独立密码|app(?:lication)?[ -](?:specific[ -])?password|smtp|imap"
    r"|pop3?)[^\n]{0,24}?(?<![A-Za-z])([a-z]{16}|[a-z]{4}(?:[ -][a-z]{4}){3})(?![A-Za-z])"
)
_NOT_ACCESS = (
    r"(?<!error\s)(?<!status\s)(?<!exit\s)(?<!return\s)(?<!response\s)(?<!country\s)(?<!area\s)(?"
    r"<!zip\s)(?<!postal\s)(?<!colour\s)(?<!color\s)(?<!product\s)(?<!promo\s)"
)
_ACCESS_CODE = re.compile(
    rf"(?<![a-z]){_NOT_ACCESS}code\s(?:for|to|on|at)\s[\w' ]{{1,30}}?\s(?:is"
    rf"|=)\s\d{{3,8}}(?!\d){UNIT_AFTER}|(?<!\d)\d{{4,8}}\sis\s(?:the|your|my"
    rf"|our)\s(?:\w+\s){{0,3}}?{_NOT_ACCESS}(?:code|pin)(?![a-z])"
    rf"|(?<![a-z])(?:safe|locker|padlock|keypad|alarm|lock|gate|door|vault"
    rf"|intercom)(?![a-z])[\w' ]{{0,24}}?\s(?:takes|wants|needs|expects|accepts"
    rf"|is set to)\s\d{{4,8}}(?!\d){UNIT_AFTER}"
)
_CREDENTIAL_TALK = re.compile(
    r"密码|密碼|口令|登录|登陆|登入|账号|帐号|账密|凭据|后台|管理员|热点|无线|路由|共享盘|解压|解锁|加密|保险|门锁|vpn|nas|ssid|wi-?fi|wlan"
    r"|hotspot|(?<![a-z])(?:pass\w*|pwd?|psw|login|log(?:ged|s)? in|sign(?:ed|s)? in|admin\w*|root"
    r"|creds?|credentials?|unlocks?|archive|router|console|panel|account|net use|sudo|vault|decrypts?"
    r"|guest)(?![a-z])",
)
_SHAPED = re.compile(
    r"(?<![\w./:@?&=-])(?=[^\s\"'<>]{0,32}[A-Za-z])[A-Za-z0-9][A-Za-z0-9!#$%^&*@_\-]{5,31}(?![\w/=(\[.:])"
)
_PRODUCT_KEY = re.compile(
    r"(?<![A-Z0-9-])(?=[A-Z0-9-]{0,40}[0-9])(?=[A-Z0-9-]{0,40}[A-Z])[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3,5}(?![A-Z0-9-])"
)
_SYMBOL = re.compile(r"(?<=[A-Za-z0-9])[!#$%^&*@]")
_REFERENCE = re.compile(
    r"(?:issue|pr|mr|bug|ticket|case|no|order|inv|invoice|room|page|row|item|task|story|id|line|chapter"
    r"|fig|c|f)#\d",
    _FLAGS,
)
_YOUR_CODE = re.compile(
    r"(?<![a-z])(?:your|my|his|her|our)\s(?:code|pin)(?:\s(?:today|now|here))?\s?(?:is|:"
    r"|=)\s?\d{4,8}(?![\dA-Za-z])"
)
_SPLIT = re.compile(
    r"(?:AKIA|ASIA|LTAI|AKID|gh[pousr]\s?_|sk\s?-|glpat\s?-"
    r"|AIza)[^A-Za-z0-9]{1,14}([A-Za-z0-9]{12,80})(?![A-Za-z0-9])"
)
_KEY_CONTEXT = re.compile(
    r"(?:(?<![A-Za-z])(?:token|secret|api[ _-]?key|key|auth|credential|license|webhook|signature"
    r"|appsecret|app secret|corpsecret|aeskey|签名|密钥|秘钥|令牌|凭证|凭据|授权|口令|密码|授权码|接口|[Kk]ey)s?(?![A-Za-z])"
    r"|密钥|秘钥|令牌|凭证|凭据|授权码|口令|密码|密文)"
    r"[^\n。]{0,28}?(?<![A-Za-z0-9_\-+/=.~])([A-Za-z0-9_\-+/=.~]{16,400})",
    _FLAGS,
)


def _plain_word(text: str) -> bool:
    return any(m[1].lower() not in ORDINARY and not is_placeholder(m[1]) for m in _PLAIN_WORD.finditer(text))


def _secret_after(text: str) -> bool:
    for match in _SECRET_AFTER.finditer(text):
        value = bare(match[1])
        digits = sum(c.isdigit() for c in value)
        if value.isdigit() and 4 <= digits <= 8 and not re.match(r"(?:19|20)\d\d$", value):
            return True
        if is_chosen_secret(value, shortest=5) and value.isascii() and digits >= 2:
            return True
    return False


def _unlocks(text: str) -> bool:
    return any(_is_unlock_value(m[1]) for pattern in _UNLOCKS for m in pattern.finditer(text))


def _is_unlock_value(value: str) -> bool:
    value = value.strip(_UNLOCK_EDGES)
    digits = sum(c.isdigit() for c in value)
    core = value.strip("#*")
    if core.isdigit():
        return (
            4 <= len(core) <= 10
            and not re.fullmatch(r"(?:19|20)\d\d", core)
            and core not in ("8080", "8000", "3000", "8443", "5432", "3306")
        )
    return digits >= 2 and is_chosen_secret(value, shortest=5)


_UNLOCK_EDGES = "\"'`“”‘’.,;:!?"


def _pair(text: str) -> bool:
    for match in _LOGIN_THEN.finditer(labels.lowered(text)):
        if is_chosen_secret(match[1]) or (match[1].isdigit() and 4 <= len(match[1]) <= 10):
            return True
    for match in _PAIR.finditer(text):
        name, value = match[1], bare(match[2])
        if (
            len(value) < 5
            or not any(c.isdigit() for c in value)
            or not is_chosen_secret(value)
            or re.match(r"v?\d", value)
        ):
            continue
        strong = bool(re.search(r"[!@#$%^&*]", value)) or changes(value) >= 3
        near = text[max(0, match.start() - 32) : match.start()] + (
            text[match.end() : match.end() + 16] if strong else ""
        )
        if _LOGIN_NEAR.search(near) or (_ADMIN_NAME.match(name) and strong):
            return True
    return False


_LOCK_WORDS = ("code", "pin", "safe", "lock", "keypad", "alarm", "gate", "door", "vault", "intercom")


def _one_time_code(text: str) -> bool:
    if not any(word in text for word in _LOCK_WORDS):
        return False
    return bool(_YOUR_CODE.search(text) or _ACCESS_CODE.search(text))


def _shaped(text: str) -> bool:
    """A token with letters, digits and symbols, as policies ask of passwords, in a text that speaks of access."""
    if not _SYMBOL.search(text) or not _CREDENTIAL_TALK.search(labels.lowered(text)):
        return False
    for match in _SHAPED.finditer(text):
        value = match[0]
        symbols = sum(c in "!#$%^&*@" for c in value[1:])
        digits = sum(c.isdigit() for c in value)
        mixed = len(value) >= 8 and changes(value) >= 2 and value.lower() != value != value.upper()
        if (
            symbols
            and (digits >= 2 or (mixed and symbols))
            and not _REFERENCE.match(value)
            and is_chosen_secret(value + "~")
        ):
            return True
    return False


def _uri(text: str) -> bool:
    return any(
        not is_placeholder(m[2]) and not is_code(m[2]) and not (m[2].isupper() and m[2].isalpha())
        for m in _URI.finditer(text)
    )


def _literal(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    def found(text: str) -> bool:
        values = (next((g for g in m.groups() if g), m[0]) for m in pattern.finditer(text))
        return any(not is_placeholder(v) and not is_code(v) and bare(v).lower() not in ORDINARY for v in values)

    return found


def _command(text: str) -> bool:
    return any(is_chosen_secret(m[1]) for m in _COMMANDS.finditer(text)) or any(
        is_chosen_secret(m[1]) for m in _FLAG_VALUE.finditer(text)
    )


_BEARER_WORD = re.compile(
    r"(?:token|auth|header|scheme|access|prefix|format|based|style|type|only|realm|string|value|of|is"
    r"|in|and|with|for|the|or|to|credential|certificate|bond|share)",
    _FLAGS,
)


def _bearer(text: str) -> bool:
    for match in _BEARER.finditer(text):
        value = match[2].strip("._-=")
        header = bool(match[1])
        if (
            len(value) < 4
            or is_placeholder(value)
            or is_code(value)
            or (match[0].lower().lstrip().startswith("token") and not header)
        ):
            continue
        if any(c.isdigit() for c in value) and not re.fullmatch(r"\d{1,3}|v\d", value):
            return True
        if _BEARER_WORD.match(value):
            continue
        if re.search(r"[._-]", value) and len(value) >= 8 or len(value) >= 16 or (header and len(value) >= 6):
            return True
        if any(c.isupper() for c in value[1:]) and any(c.islower() for c in value) and len(value) >= 8:
            return True
    return False


def _sk(text: str) -> bool:
    return any(not is_placeholder(m[0][3:]) for m in _SK.finditer(text))


def _basic(text: str) -> bool:
    for match in _BASIC.finditer(text):
        try:
            if b":" in base64.b64decode(match[1] + "=" * (-len(match[1]) % 4)):
                return True
        except ValueError:
            continue
    return False


def _key_context(text: str) -> bool:
    for match in _KEY_CONTEXT.finditer(text):
        value = match[1].strip(".=-")
        lead = text[max(0, match.start() - 16) : match.start(1)]
        if looks_random(value) and not is_uuid(value) and not NOT_CREDENTIAL.search(lead):
            return True
    return False


_LABEL_RULES: tuple[tuple[str, Callable[[str, labels.Label], bool]], ...] = (
    ("password_or_key_assigned", labels.is_assigned),
    ("quoted_password", labels.is_quoted),
    ("password_beside_label", labels.is_beside),
    ("code_or_pin", labels.is_code_value),
)
_RULES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("private_key_block", lambda t: bool(_PEM.search(t) or _WIREGUARD.search(t))),
    ("credential_in_url", _uri),
    ("bearer_token", _bearer),
    ("sk_prefixed_key", _sk),
    ("json_web_token", lambda t: bool(_JWT.search(t))),
    ("basic_auth_header", _basic),
    ("login_pair", _pair),
    ("credential_in_command", _command),
    ("wallet_private_key", lambda t: bool(_WALLET_KEY.search(t))),
    ("otp_seed", lambda t: bool(_TOTP.search(t))),
    ("password_shaped_token", _shaped),
    ("product_key", lambda t: bool(_PRODUCT_KEY.search(t))),
    ("split_credential", lambda t: any(sum(c.isdigit() for c in m[1]) >= 2 for m in _SPLIT.finditer(t))),
    ("token_beside_key_word", _key_context),
)
# These look at lower-cased text: ignoring case inside a pattern costs three times as much.
_LOWERED_RULES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("plain_word_password", _plain_word),
    ("password_named_after", _secret_after),
    ("unlock_phrase", _unlocks),
    ("credential_in_sql", _literal(_SQL_USER)),
    ("netrc_entry", _literal(_NETRC)),
    ("session_cookie", _literal(_COOKIE)),
    ("seed_phrase", lambda t: bool(_SEED.search(t) or _SEED_ZH.search(t) or _NUMBERED_SEED.search(t))),
    ("recovery_code", lambda t: bool(_RECOVERY.search(t))),
    ("app_password", lambda t: bool(_APP_PASSWORD.search(t))),
    ("one_time_code", _one_time_code),
)


def credentials(text: str) -> Iterator[str]:
    """Rule ids of credentials written in prose, settings or commands."""
    named = tuple(islice(labels.labels(text), labels.MOST_LABELS + 1))
    if len(named) > labels.MOST_LABELS:
        yield "credential_names_flood"
        return
    for label_rule, follows in _LABEL_RULES:
        if any(follows(text, label) for label in named):
            yield label_rule
    low = labels.lowered(text)
    for rule, found in (*((r, f(text)) for r, f in _RULES), *((r, f(low)) for r, f in _LOWERED_RULES)):
        if found:
            yield rule

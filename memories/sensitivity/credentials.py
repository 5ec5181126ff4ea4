"""Passwords, codes, tokens and pairs that people write in prose, settings or commands, in Chinese and English."""

import re
from collections.abc import Callable, Iterator

from memories.sensitivity.shapes import (
    UNIT_AFTER,
    bare,
    is_chosen_secret,
    is_code,
    is_placeholder,
    is_uuid,
    looks_random,
)

_FLAGS = re.IGNORECASE

# What the value belongs to. Left edges are ASCII only, because a Chinese character before a name is no word edge.
_PASSWORD = (
    r"(?:(?<![A-Za-z])(?:pass[ _-]?words?|passwd|pass[ _-]?phrase|pass[ _-]?code|passw|psswd|pword|pwd|psw|pw|pass(?=[\s_-]?[=:])|mot de passe|contraseña"
    r"|passwort|kennwort|senha|wachtwoord|parola)\d?|(?-i:(?<=[a-z])(?:Password|Passwd|Pwd|Passphrase))|пароль|パスワード|비밀번호"
    r"|密码|密碼|口令|暗号|密语|密令|解锁短语|通关词)"
)
_TOKEN = (
    r"(?:(?<![A-Za-z])(?:(?:(?:client|app|application|consumer|shared|webhook|signing|jwt|oauth|hmac|bot|corp|db|aws|master|user|session)[ _-]?)?secret"
    r"(?:[ _-]?(?:access)?[ _-]?key)?|(?:api|access|auth|private|encryption|signing|master|account|storage|service|deploy|license|licence|product|activation"
    r"|subscription|admin|root|bot|app|shared|session|ssh|server|write|read|project|personal|sdk|rpc|map|maps)[ _-]?(?:api[ _-]?)?key"
    r"|apikey|app[ _-]?key|(?:(?:access|auth|refresh|bearer|id|api|session|deploy|bot|personal access|registration|install|service|login|user|x-auth)[ _-]?)?token"
    r"|auth(?:orization)?[ _-]?code|credentials?|session[ _-]?(?:id|cookie)|sessionid|sid|cookie|jsessionid|phpsessid|connect\.sid|pat"
    r"|connection[ _-]?string|sas|license|activation code|redeem code|gift card)|(?-i:(?<=[a-z])(?:Secret|Token|ApiKey|AccessKey|SecretKey|PrivateKey))"
    r"|密钥|秘钥|金钥|私钥|令牌|凭证|凭据|授权码|授权串|访问串|注册码|激活码|兑换码|签名串|会话(?:号|ID)|[Kk]ey值?(?=\s?[:=是为])|(?<![A-Za-z])(?:ak|sk)(?=\s?[:=是为]))"
)
_CODE_NOUN = (
    r"(?:(?<![A-Za-z])(?:(?:(?:door|gate|alarm|entry|entrance|access|keypad|lock|padlock|locker|safe|vault|garage|building|lift|elevator|unlock|pick[ -]?up|collection|parcel"
    r"|verification|security|confirmation|auth(?:entication)?|sms|one[ -]?time|2fa|two[ -]factor|otp|mfa|login|log-in|recovery|backup|rescue|voicemail|sim|puk|parental"
    r"|meeting|zoom|conference|guest|host|front|back|flat|apartment|office|lobby|suitcase|bike|gym|cabin|airbnb|phone|screen|tablet|card|atm|debit|bank)"
    r"[ -]?){1,2}(?:code|pin|combination|combo|passcode|number(?=\s(?:is|to)\s\d{4}\b))s?|pin(?:[ -]?(?:code|number))?|otp|cvv2?|cvc|puk\d?|combination|passcode)"
    r"|(?:取件|取货|提货|提取|取餐|取票|门禁|开门|单元门|大门|楼门|院门|家门|房门|门锁|验证|校验|动态|授权|激活|恢复|备用|救援|解锁|访问|登录|登陆|安全|通行|入会|参会|核验|核销|短信|手机"
    r"|支付|取款|交易|查询|服务|手势|开机|锁屏|开箱|开柜|开锁|撤防|报警|保险柜|保险箱|行李箱|密码锁|储物柜|快递柜|更衣柜|车库|信箱|会议|家长)(?:密码|验证码|口令|数字|暗码|码|号码)"
    r"|验证码|校验码|动态码|取件码|门禁码|安全码|提取码|口令|密码|密碼|PIN\s?码|保险[箱柜]|密码锁)"
)

_FILLER_EN = r"(?:\s{1,3}(?:for|to|of|on|at|in|into|by|from)\s[A-Za-z0-9' ._-]{1,40}?|\s?\([^()\n]{1,24}\)|\s(?:value|number|string|field|itself))?"
_FILLER_ZH = r"(?:\s?\([^()\n]{1,16}\)|[^\s,。;:=是为\"'“「\d]{0,6}(?=是|为|改|换|设|:|=|就|叫)|\s?[一二两三四五六七八九十\d]{1,2}\s?位数?字?)?"
_LINK = (
    r"(?:[\"'”」\])]{0,2}\s{0,3}(?:=>|->|:=|==?|:|>|是|为|叫做?|改[成为]了?|换[成为]了?|设[成为]了?|设置[成为]了?|设的是|定[成为]了?|变[成为]了?|就是|还是|都是|写的是|用的是|等于|默认)\s{0,3}"
    r"(?:是|为|成)?|\s{1,3}(?:is|was|are|=|will be|becomes)(?:\s(?:now|still|currently|just|always|simply|temporarily|again))?(?:\sset to|\schanged to|:)?\s{1,2}"
    r"|\s{1,3}(?:(?:has|have)\s(?:been\s)?|got\s|was\s|gets\s)?(?:changed|set|reset|updated|rotated)\s(?:to|it to)\s{1,2}|,\s?(?:it'?s|it is)\s{1,2})"
)
_QUOTE = r"[\"'`“‘「『《]?"
_VALUE = r"([^\s\"'`“”‘’「」『』《》<>,;。、()]{3,200})"
_TERMS = r"[A-Za-z0-9#*]{1,8}(?:[ -][A-Za-z0-9#*]{1,8}){0,5}"

_ASSIGNED = re.compile(rf"({_PASSWORD}|{_TOKEN})(?:{_FILLER_EN}|{_FILLER_ZH}){_LINK}{_QUOTE}{_VALUE}{UNIT_AFTER}", _FLAGS)
_QUOTED = re.compile(rf"{_PASSWORD}(?:{_FILLER_EN}|{_FILLER_ZH}){_LINK}[\"'`“‘「『]([^\"'`”’」』\n]{{4,60}})[\"'`”’」』]", _FLAGS)
_BESIDE = re.compile(rf"({_PASSWORD}|{_TOKEN})[\s,:]{{1,3}}{_QUOTE}{_VALUE}{UNIT_AFTER}", _FLAGS)
_CODE = re.compile(
    rf"({_CODE_NOUN})(?:{_FILLER_EN}|{_FILLER_ZH})(?:{_LINK}|\s{{0,3}}){_QUOTE}\s?(#?\*?[0-9](?:[ \-.]?[0-9]){{2,11}}[#*]?)(?![A-Za-z0-9]){UNIT_AFTER}", _FLAGS
)
_CODE_ALNUM = re.compile(rf"({_CODE_NOUN})(?:{_FILLER_EN}|{_FILLER_ZH})(?:{_LINK}|\s{{1,3}}){_QUOTE}\s?([A-Za-z0-9#*][A-Za-z0-9#*\-]{{3,40}})(?![A-Za-z0-9])", _FLAGS)
_PLAIN_WORD = re.compile(
    rf"(?:\b(?:my|our|his|her|their|mum's|dad's|guest|home|office|wi-?fi|router|nas|laptop|hotspot)\b)[\w' ]{{0,20}}?{_PASSWORD}(?:\s(?:for|to|of|on)\s[\w' ]{{1,24}}?)?"
    r"\s(?:is|=)\s([a-z]{5,24})(?=[.!]?\s?$|[.!,;]\s)", _FLAGS
)
_ORDINARY = frozenset(
    ["required", "optional", "hashed", "salted", "encrypted", "expired", "wrong", "weak", "strong", "empty", "missing", "correct", "incorrect", "invalid", "valid", "stored", "saved", "shared", "managed", "rotated", "reset", "changed", "unknown", "private", "secret", "hidden", "masked", "disabled", "enabled", "blank", "set", "unset", "mandatory", "sensitive", "forgotten", "leaked", "compromised", "safe", "secure", "insecure", "long", "short", "unique", "random", "important", "confidential", "generated", "unavailable", "different", "simple", "complex", "hard", "easy", "good", "fine", "there", "here", "needed", "used", "unused", "present", "absent", "protected", "outdated", "stale", "working", "broken", "lost", "printed", "written", "kept", "never", "always", "still", "below", "above", "case", "everything", "nothing", "something"]
)

_SECRET_AFTER = re.compile(
    rf"(?<![\w@./-])([^\s\"'`“”‘’「」<>,;:。、()]{{4,64}})[\"'`”’」]?\s{{0,2}}(?:is|was|as|are|就是|是|为|当做?|作为|做|用作)\s{{0,2}}(?:(?:my|the|our|his|her|their|a)\s|我(?:家|们)?的?|他的|她的|家里的?|公司的?|默认的?|新的?)?"
    rf"(?:[\w-]{{1,16}}\s){{0,2}}?[^\s,。;a-z]{{0,6}}?({_PASSWORD}|{_CODE_NOUN})(?![\w-]|\s(?:hash|manager|store|format|generator|policy|field|algorithm|reset|box|type|rule|管理|策略))", _FLAGS
)
_UNLOCK_VALUE = r"[\"'“「]?(#?[A-Za-z0-9][A-Za-z0-9!@#$%^&*_\-]{3,40})"
_UNLOCKS = (
    re.compile(
        rf"(?:unlock(?:s|ed)?|open(?:s|ed)?|get(?:s)?\s(?:you|us|me|him|her|them|one)\sin(?:to)?|lets?\s\w+\sin|disarm(?:s|ed)?|decrypt(?:s|ed)?|sign(?:s|ed)?\sin|log(?:s|ged)?\s?in|buzz(?:es)?\s\w+\sin)"
        rf"[\w' ]{{0,40}}?\s(?:with|using|by\styping|by\sentering|via|on|code|pin)\s(?:the\s|this\s|my\s)?(?:code|pin|phrase|word|password|passcode|combination|combo|number|digits|sequence)?[\s:]{{0,2}}{_UNLOCK_VALUE}{UNIT_AFTER}", _FLAGS
    ),
    re.compile(
        r"(?<![\w./-])[\"'“]?([A-Za-z0-9#*][A-Za-z0-9!@#$%^&*_\-]{3,40})[\"'”]?\s(?:will\s|also\s)?(?:unlocks?|opens?|disarms?|decrypts?|gets?\s(?:you|us|me|them|him|her)\sin(?:to)?|lets\s\w+\sin)(?![A-Za-z])", _FLAGS
    ),
    re.compile(
        rf"(?:type|enter|punch(?:\sin)?|dial|key\sin|press|input|tap(?:\sin)?|use)\s(?:the\s)?(?:code\s|pin\s|digits\s|phrase\s)?{_UNLOCK_VALUE}[\"'”]?\s(?:on|at|in|into|to|for|then|and)\s[\w' ]{{0,30}}?"
        r"(?:unlock|open|door|gate|alarm|keypad|get in|enter|disarm|panel|garage|safe|intercom)", _FLAGS
    ),
    re.compile(
        rf"(?:输入?|按|拨|敲|键入|报|说|转到|转|填|打|刷|念)\s?(?:入|下|上|一下)?\s?{_UNLOCK_VALUE}[\"'”」]?\s?(?:号?键|井号|星号)?[^\n。;]{{0,8}}?(?:开门|解锁|进门|进去|开锁|开了|就开|登录|登陆|登进|撤防|打开|能进|可以进|即可|确认)", _FLAGS
    ),
    re.compile(
        rf"(?:解锁|开门|进门|开锁|开机|撤防|解压|解密|打开(?:保险|门|柜|锁)\S{{0,3}}|进(?:小区|楼|单元|机房|后台|系统|库房)|登(?:录|陆|进)\S{{0,8}}?)[^\n。;a-z0-9]{{0,10}}?(?:用|是|输入?|按|靠|报|拨|:|为)\s?{_UNLOCK_VALUE}{UNIT_AFTER}", _FLAGS
    ),
)

_LOGIN = (
    r"(?:log[ -]?in|sign[ -]?in|logon|credential|creds?|account|user(?:name)?|console|portal|ssh|vpn|ftp|rdp|admin|账号|帐号|账户|用户名?|登录|登陆|账密|凭据|后台|控制台|堡垒机|跳板机|数据库|服务器|测试号|共享盘)"
)
_PAIR = re.compile(r"(?<![\w/.@:-])([A-Za-z][\w.@-]{1,40})\s?(?:/|\||:|,\s?|／)\s?([^\s\"'`“”<>,;。、()/|:]{5,64})(?![\w/])")
_LOGIN_NEAR = re.compile(_LOGIN, _FLAGS)
_ADMIN_NAME = re.compile(r"^(?:admin\w*|root|sa|ops\w*|guest|test\w*|demo|sys\w*|oracle|deploy\w*|backup\w*|svc\w*|service\w*|user\d*|super\w*)$", _FLAGS)
_LOGIN_THEN = re.compile(
    r"(?:(?:login|log[ -]?in|user(?:name)?|account|id)\s?[:=]?\s?(?:is\s|as\s)?|账号|帐号|用户名|登录名|工号|账户)\s?[:=是为]?\s?[\"']?[\w.@-]{2,40}[\"']?[\s,;/]{1,3}(?:and\s|with\s|和|以及)?"
    rf"(?:{_PASSWORD}|code|密|码)\s?[:=是为]?\s?[\"']?([^\s\"'，,;。]{{3,64}})", _FLAGS
)

_URI = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.\-]{1,30}://([^\s:/@?#\"'<>]{0,80}):([^\s/@\"'<>]{2,200}|[^\s@\"'<>]{2,200})@[^\s@\"'<>]{2,}")
_COMMANDS = re.compile(
    r"(?:mysql(?:dump)?|mariadb|sshpass|mongo(?:sh|dump)?|psql|redis-cli|ldapsearch|curl|wget|http|smbclient|docker login|sqlcmd|sqlplus|rsync|7z|unzip|zip|openssl|kinit|net use|expect|az|htpasswd)\b[^\n]{0,120}?"
    r"\s(?:-p\s?|-a\s|-w\s|-P\s|-u\s[\w.@-]{1,40}:|--pass(?:word|wd)?[= ]|--token[= ]|--secret[= ]|-passin pass:|--user\s[\w.@-]{1,40}:|/user:\S{1,40}\s)[\"']?([^\s\"']{4,100})"
)
_FLAG_VALUE = re.compile(r"--?(?:password|passwd|pass|pwd|token|api-?key|secret|auth|access-?key|secret-?key|client-?secret)[= ][\"']?([^\s\"']{4,200})", _FLAGS)
_SQL_USER = re.compile(r"(?:identified\s(?:with\s\w+\s)?by|with\s(?:encrypted\s)?password|set\spassword\s?=?)\s{1,2}[\"']([^\"'\n]{3,100})[\"']", _FLAGS)
_NETRC = re.compile(r"machine\s\S{1,80}\slogin\s\S{1,80}\spassword\s(\S{3,100})", _FLAGS)
_BEARER = re.compile(r"(?<![A-Za-z0-9])(authorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?)?(?:bearer|token)\s{1,4}([A-Za-z0-9._~+/=\-]+)", _FLAGS)
_BASIC = re.compile(r"(?<![A-Za-z0-9])basic\s{1,4}([A-Za-z0-9+/]{8,}={0,2})(?![A-Za-z0-9])", _FLAGS)
_SK = re.compile(r"(?<![A-Za-z0-9_])sk-[A-Za-z0-9_\-]{8,}", _FLAGS)
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?")
_PEM = re.compile(r"-{3,5}\s?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?\s?-{3,5}[\sA-Za-z0-9+/=:,.\\\-]{0,200}?[A-Za-z0-9+/=]{24,}|PuTTY-User-Key-File-\d")
_WIREGUARD = re.compile(r"(?:PrivateKey|PresharedKey)\s?=\s?[A-Za-z0-9+/]{42,43}=")
_COOKIE = re.compile(r"(?<![A-Za-z])(?:set-)?cookie[\"']?\s{0,2}[:=是]\s{0,2}[\"']?[\w.\-]{1,40}=([^\s;\"']{8,400})|(?<![A-Za-z])(?:j?session_?id|phpsessid|asp\.net_sessionid|connect\.sid|sessdata|bduss|csrftoken|xsrf-token|sid)[\"']?\s{0,2}[=:]\s{0,2}[\"']?([^\s;\"',]{8,400})", _FLAGS)
_SEED = re.compile(
    r"(?:seed|mnemonic|recovery\s?phrase|secret\sphrase|backup\sphrase|wallet\s(?:words|phrase)|助记词|种子词|恢复词|恢复短语)[^\n]{0,40}?(?<![A-Za-z])(?:[a-z]{3,8}[\s,]{1,3}(?:\d{1,2}[.)]\s?)?){10,23}[a-z]{3,8}(?![A-Za-z])", _FLAGS
)
_SEED_ZH = re.compile(r"(?:助记词|种子词|恢复词)[^\n]{0,12}?(?:[\u4e00-\u9fff][\s,、]{1,2}){10,23}[\u4e00-\u9fff]")
_NUMBERED_SEED = re.compile(r"(?:\b\d{1,2}[.):]?\s?[a-z]{3,8}[\s,;]{1,3}){11,}")
_WALLET_KEY = re.compile(r"(?:私钥|private\s?key|secret\s?key|wallet|冷钱包|热钱包|钱包|seed|种子)[^\n]{0,40}?(?<![A-Za-z0-9])((?:0x)?[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})(?![A-Za-z0-9])", _FLAGS)
_TOTP = re.compile(r"(?:totp|2fa|mfa|two[ -]factor|authenticator|otp|验证器|两步验证|二次验证|动态口令|令牌)[^\n]{0,30}?(?<![A-Za-z0-9])([A-Z2-7]{4}(?:[ -]?[A-Z2-7]{4}){3,15})(?![A-Za-z0-9])")
_RECOVERY = re.compile(
    r"(?:recovery|backup|rescue|emergency|scratch|one[ -]?time|恢复|备用|救援|应急|一次性|备份)[ _-]?(?:codes?|keys?|passcodes?|代?码|密钥|口令)[^\n]{0,24}?(?<![A-Za-z0-9])((?=[A-Za-z0-9\- ]{0,40}\d)[A-Za-z0-9]{4,10}(?:[- ][A-Za-z0-9]{4,10}){1,7}|(?=[a-z]{0,12}\d)[A-Za-z0-9]{8,32})(?![A-Za-z0-9])", _FLAGS
)
_APP_PASSWORD = re.compile(
    r"(?:授权码|专用密码|应用密码|独立密码|app(?:lication)?[ -](?:specific[ -])?password|smtp|imap|pop3?)[^\n]{0,24}?(?<![A-Za-z])([a-z]{16}|[a-z]{4}(?:[ -][a-z]{4}){3})(?![A-Za-z])", _FLAGS
)
_KEY_CONTEXT = re.compile(
    r"(?:(?<![A-Za-z])(?:token|secret|api[ _-]?key|key|auth|credential|license|webhook|signature|appsecret|app secret|corpsecret|aeskey|签名|密钥|秘钥|令牌|凭证|凭据|授权|口令|密码|授权码|接口|[Kk]ey)s?(?![A-Za-z])|密钥|秘钥|令牌|凭证|凭据|授权码|口令|密码|密文)"
    r"[^\n。]{0,28}?(?<![A-Za-z0-9_\-+/=.~])([A-Za-z0-9_\-+/=.~]{16,400})", _FLAGS
)
_NOT_CREDENTIAL_KEY = re.compile(
    r"(?:idempotenc\w+|cache|primary|partition|sort|foreign|object|message|dedup\w*|routing|public|unique|hash|map|dict|trace|span|request|row|index|缓存|主|幂等|分区|排序|公|唯一|外)[ _-]?(?:key|token|键|钥)|sha-?\d|md5|digest|checksum|摘要|校验和|哈希|commit|etag|uuid|指纹|fingerprint|trace",
    _FLAGS,
)


def _assigned(text: str) -> bool:
    for match in _ASSIGNED.finditer(text):
        noun, value = match[1], match[2]
        if _is_assigned_value(noun, value, text[match.start() : match.start(2)]):
            return True
    return False


def _is_assigned_value(noun: str, value: str, lead: str) -> bool:
    if is_chosen_secret(value):
        return not _is_weak_context(noun, value, lead)
    value = bare(value)
    if value.isdigit():
        return bool(re.fullmatch(_PASSWORD, noun, _FLAGS)) and 4 <= len(value) <= 12
    prose = not lead.rstrip().endswith(("=", ":", ">"))
    camel = value.isascii() and value.isalpha() and len(value) >= 8 and any(c.isupper() for c in value[1:]) and any(c.islower() for c in value)
    return prose and camel and bool(re.fullmatch(_PASSWORD, noun, _FLAGS)) and not is_placeholder(value)


def _is_weak_context(noun: str, value: str, lead: str) -> bool:
    if _NOT_CREDENTIAL_KEY.search(lead):
        return True
    if re.fullmatch(_PASSWORD, noun, _FLAGS):
        return False
    # A token's value is generated: short identifiers beside the word are names, limits or versions.
    value = bare(value)
    return len(value) < 6 or (value.isascii() and value.replace("_", "a").replace("-", "a").islower() and not any(c.isdigit() for c in value))


def _quoted(text: str) -> bool:
    for match in _QUOTED.finditer(text):
        value = match[1].strip()
        if is_placeholder(value) or is_code(value) or value.lower() in _ORDINARY or len(value.split()) > 8:
            continue
        if not re.match(r"(?:leave|please|enter|must|required|请|不|无|空|待|由)", value, _FLAGS):
            return True
    return False


def _beside(text: str) -> bool:
    for match in _BESIDE.finditer(text):
        value = bare(match[2])
        if re.fullmatch(_PASSWORD, match[1], _FLAGS):
            if len(value) >= 6 and is_chosen_secret(value) and (any(c.isdigit() for c in value)):
                return True
        elif looks_random(value) and not is_uuid(value) and not _NOT_CREDENTIAL_KEY.search(text[max(0, match.start() - 16) : match.start(2)]):
            return True
    return False


def _code(text: str) -> bool:
    for match in _CODE.finditer(text):
        digits = re.sub(r"\D", "", match[2])
        if 3 <= len(digits) <= 12 and not (len(digits) == 3 and not re.search(r"cv[vc]|安全码", match[1], _FLAGS)):
            return True
    for match in _CODE_ALNUM.finditer(text):
        value = bare(match[2])
        if is_chosen_secret(value, shortest=4) and sum(c.isdigit() for c in value) >= 2:
            return True
    return False


def _plain_word(text: str) -> bool:
    return any(m[1].lower() not in _ORDINARY and not is_placeholder(m[1]) for m in _PLAIN_WORD.finditer(text))


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
        return 4 <= len(core) <= 10 and not re.fullmatch(r"(?:19|20)\d\d", core) and core not in ("8080", "8000", "3000", "8443", "5432", "3306")
    return digits >= 2 and is_chosen_secret(value, shortest=5)


_UNLOCK_EDGES = "\"'`“”‘’.,;:!?"


def _pair(text: str) -> bool:
    for match in _LOGIN_THEN.finditer(text):
        if is_chosen_secret(match[1]) or (match[1].isdigit() and 4 <= len(match[1]) <= 10):
            return True
    for match in _PAIR.finditer(text):
        name, value = match[1], bare(match[2])
        if len(value) < 5 or not any(c.isdigit() for c in value) or not is_chosen_secret(value) or re.match(r"v?\d", value):
            continue
        near = text[max(0, match.start() - 32) : match.start()] + " " + text[match.end() : match.end() + 16]
        if _LOGIN_NEAR.search(near) or (_ADMIN_NAME.match(name) and re.search(r"[!@#$%^&*]", value)):
            return True
    return False


def _uri(text: str) -> bool:
    return any(not is_placeholder(m[2]) and not is_code(m[2]) and not (m[2].isupper() and m[2].isalpha()) for m in _URI.finditer(text))


def _literal(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    def found(text: str) -> bool:
        values = (next((g for g in m.groups() if g), m[0]) for m in pattern.finditer(text))
        return any(not is_placeholder(v) and not is_code(v) and bare(v).lower() not in _ORDINARY for v in values)

    return found


def _command(text: str) -> bool:
    return any(is_chosen_secret(m[1]) for m in _COMMANDS.finditer(text)) or any(is_chosen_secret(m[1]) for m in _FLAG_VALUE.finditer(text))


_BEARER_WORD = re.compile(
    r"(?:token|auth|header|scheme|access|prefix|format|based|style|type|only|realm|string|value|of|is|in|and|with|for|the|or|to|credential|certificate|bond|share)", _FLAGS
)


def _bearer(text: str) -> bool:
    for match in _BEARER.finditer(text):
        value = match[2].strip("._-=")
        header = bool(match[1])
        if len(value) < 4 or is_placeholder(value) or is_code(value) or (match[0].lower().lstrip().startswith("token") and not header):
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
    import base64

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
        if looks_random(value) and not is_uuid(value) and not _NOT_CREDENTIAL_KEY.search(lead):
            return True
    return False


_RULES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("private_key_block", lambda t: bool(_PEM.search(t) or _WIREGUARD.search(t))),
    ("credential_in_url", _uri),
    ("bearer_token", _bearer),
    ("sk_prefixed_key", _sk),
    ("json_web_token", lambda t: bool(_JWT.search(t))),
    ("basic_auth_header", _basic),
    ("password_or_key_assigned", _assigned),
    ("quoted_password", _quoted),
    ("password_beside_label", _beside),
    ("code_or_pin", _code),
    ("plain_word_password", _plain_word),
    ("password_named_after", _secret_after),
    ("unlock_phrase", _unlocks),
    ("login_pair", _pair),
    ("credential_in_command", _command),
    ("credential_in_sql", _literal(_SQL_USER)),
    ("netrc_entry", _literal(_NETRC)),
    ("session_cookie", _literal(_COOKIE)),
    ("seed_phrase", lambda t: bool(_SEED.search(t) or _SEED_ZH.search(t) or _NUMBERED_SEED.search(t))),
    ("wallet_private_key", lambda t: bool(_WALLET_KEY.search(t))),
    ("otp_seed", lambda t: bool(_TOTP.search(t))),
    ("recovery_code", lambda t: bool(_RECOVERY.search(t))),
    ("app_password", lambda t: bool(_APP_PASSWORD.search(t))),
    ("token_beside_key_word", _key_context),
)


def credentials(text: str) -> Iterator[str]:
    """Rule ids of credentials written in prose, settings or commands."""
    for rule, found in _RULES:
        if found(text):
            yield rule

"""Identifiers of a person: ways to reach one, and the numbers on papers, cards and devices."""

import ipaddress
import re
from collections.abc import Callable, Iterator

from memories.sensitivity.money import CARD_CODE, bank_account, payment_card
from memories.sensitivity.numbers import BUSINESS, DATE, GROUPED, IGNORE_CASE, around, before, digits_of, libraries
from memories.sensitivity.papers import cn_identity, greater_china_identity, national_number, paper_number

_CONTACT = re.compile(
    r"(?:电话|手机|联系|座机|致电|拨打|打给|短信|微信|回访|来电|号码|传真|固话|热线|客户|本人|机主|紧急|联络|宅电|☎|📞|📱|(?<![a-z])(?:phone"
    r"|mobile|cell|tel|telephone|call|ring|text|sms|whatsapp|signal|telegram|viber|handy|fax|landline"
    r"|reach|contact"
    r"|dial|number is|móvil|telefon\w*|téléphone|portable|celular|numéro|nummer|numero|номер|телефон"
    r"|携帯|전화)(?![a-z]))",
    IGNORE_CASE,
)
_HOTLINE = re.compile(
    r"^(?:\+?1?8(?:00|88|77|66|55|44|33)\d{7}|\+?(?:86)?[48]00\d{7}|(?:0800|0808|0845|0870|0300|1300|1800"
    r"|0120|0180\d)\d{4,8}|(?:\+?44)?(?:800|808)\d{6,7})$"
)
_DIGIT = re.compile(r"[0-9]")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9_%+\-](?:[A-Za-z0-9._%+\-]{0,63})@(?:[A-Za-z0-9](?"
    r":[A-Za-z0-9\-]{0,62})\.){1,6}([A-Za-z]{2,24})(?![A-Za-z0-9\-(])"
)
_EMAIL_SPACED = re.compile(
    r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]{1,63}(?:\s{0,3}@\s{1,3}|\s{1,3}@\s{0,3}"
    r"|@)[A-Za-z0-9\-]{2,63}(?:\s{0,3}[.。]\s{0,3}[A-Za-z0-9\-]{2,63}){0,3}?\s{0,3}[.。]\s{0,3}"
    r"(?:com|net|org|edu|gov|cn|uk|de|fr|io|me|co|jp|kr|tw|hk|us|ca|au|in|ru|eu|info|biz|app|dev"
    r"|example|mail|email|nl|es|it|pt|ch|se|pl|br|sg)(?![A-Za-z0-9(])",
    IGNORE_CASE,
)
_FILE_ENDING = frozenset(
    [
        "png",
        "jpg",
        "jpeg",
        "gif",
        "svg",
        "webp",
        "js",
        "ts",
        "py",
        "css",
        "json",
        "yaml",
        "yml",
        "html",
        "txt",
        "pdf",
        "zip",
        "csv",
    ]
)
_PLATE = re.compile(
    r"(?<![A-Za-z0-9])[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z][ ·.\-]?(?:[DF][A-HJ-NP-Z0-9]\d{4}"
    r"|\d{5}[DF]|(?=[A-HJ-NP-Z0-9]*\d)[A-HJ-NP-Z0-9]{4}[A-HJ-NP-Z0-9学警挂港澳])(?![A-Za-z0-9])"
)
_PLATE_EN = re.compile(
    r"(?:licen[cs]e plate|number plate|car reg(?:istration)?|plate (?:no|number)"
    r"|my plate)[^\n]{0,16}?(?<![A-Za-z0-9])(?=[A-Z0-9 \-]{0,8}\d)(?=[A-Z0-9 \-]{0,8}[A-Z])"
    r"[A-Z0-9]{2,4}[ \-]?[A-Z0-9]{2,4}(?![A-Za-z0-9])",
    re.ASCII,
)
_HANDLE = re.compile(
    r"(?<![a-z])(?:微信号?|weixin|wechat(?:\sid)?|wx号?|vx|v信|薇信|qq号?|telegram|tg|whatsapp|line\sid|line号"
    r"|skype|discord|instagram|ins号?|snapchat|抖音号?|小红书号?|支付宝(?:账号|账户)?|kakao(?:talk)?|signal|twitter"
    r"|facebook)"
    r"(?:\s?(?:id|handle|account|username|号码?|账号|帐号))?\s?(?:[:=是为]|is"
    r"|叫)?\s?(?:@?(?=[a-z0-9_.\-]{0,30}\d)(?=[a-z0-9_.\-]{0,30}[a-z_])([a-z][a-z0-9_.\-]{4,30})"
    r"|([1-9]\d{5,10}))(?![A-Za-z0-9@])",
    IGNORE_CASE,
)
_HOUSE_NUMBER = re.compile(r"[0-9A-Za-z]\s?[号弄栋幢座楼单期室]")
_ADDRESS_ZH = re.compile(
    r"[\u4e00-\u9fff]{2,12}(?:路|街|道|巷|弄|胡同|里|村|镇|大街|大道|小区|花园|苑|公寓|新村|家园"
    r"|广场)\s?[\u4e00-\u9fff]{0,6}?\s?[0-9A-Za-z\-]{1,6}\s?(?:号院?|弄|栋|幢|座|号楼|楼|单元"
    r"|期)[\u4e00-\u9fff]{0,6}\s?(?:[0-9A-Za-z\-]{1,6}\s?(?:号楼?|栋|幢|座|单元|室|楼|层|户|门|房)\s?){0,4}"
)
_ADDRESS_ZH_LABEL = re.compile(r"住址?|家住|我家|收货|寄到|寄给|送到|地址|收件|户籍|老家|家庭|快递|家里|搬到")
_ADDRESS_EN = re.compile(
    r"(?:live[sd]?\s(?:at|in|on)|home\saddress|my\saddress|address\s?(?:is|:)"
    r"|ship(?:ped)?\s(?:it\s)?to|deliver(?:ed)?\s(?:it\s)?to|mail\s(?:it\s)?to|reside[sd]?\sat"
    r"|my (?:home|flat|house|apartment)\s(?:is\s)?(?:at)?|home:|moved\sto|send\s(?:it|parcels"
    r"|packages)\sto)\s?:?[^\n]{0,12}?"
    r"\d{1,5}[A-Za-z]?\s(?:[A-Z][\w'.-]*\s){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Close|Lane|Ln|Drive"
    r"|Dr|Court|Ct|Way|Place|Pl|Boulevard|Blvd|Terrace|Crescent|Square|Sq|Gardens|Grove|Row|Mews|Hill"
    r"|Park|Circle|Parkway|Highway|Hwy)(?![a-z])",
    IGNORE_CASE,
)
_POSTCODE_UK = re.compile(r"\d{1,4}[A-Za-z]?\s[A-Z][a-z]+[\w ,]{2,50}?[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}(?![A-Za-z0-9])")
_IPV4 = re.compile(r"(?<![0-9A-Za-z.])(\d{1,3}(?:\.\d{1,3}){3})(?![0-9A-Za-z]|\.\d)")
_IPV6 = re.compile(r"(?<![0-9A-Za-z:])([0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,7})(?![0-9A-Za-z:])", IGNORE_CASE)
_IP_PERSONAL = re.compile(
    r"我|家|本人|个人|宽带|公网|住|她|他的|用户的|登录ip|(?<![a-z])(?:my|her|his|home|personal|public ip|our house|broadband"
    r"|residential|user'?s|customer'?s|client'?s ip)(?![a-z])",
    IGNORE_CASE,
)
_WELL_KNOWN_IP = frozenset(
    [
        "8.8.8.8",
        "8.8.4.4",
        "1.1.1.1",
        "1.0.0.1",
        "9.9.9.9",
        "114.114.114.114",
        "114.114.115.115",
        "223.5.5.5",
        "223.6.6.6",
        "119.29.29.29",
        "180.76.76.76",
        "208.67.222.222",
        "208.67.220.220",
    ]
)
_MAC = re.compile(
    r"(?:我|家|她|他|(?<![a-z])(?:my|her|his|laptop|phone)(?![a-z])|手机"
    r"|电脑)[^\n]{0,30}?(?<![0-9A-Za-z:])(?:[0-9a-f]{2}[:\-]){5}[0-9a-f]{2}(?![0-9A-Za-z:])",
    IGNORE_CASE,
)
_IMEI = re.compile(r"(?:imei|meid|串号)[^\n]{0,16}?(?<!\d)\d{2}[ \-]?\d{6}[ \-]?\d{6}[ \-]?\d(?!\d)", IGNORE_CASE)


def _email(text: str) -> bool:
    for match in _EMAIL.finditer(text):
        if match[1].lower() in _FILE_ENDING and re.search(r"@\dx\.", match[0]):
            continue
        if match[0].startswith("git@") and text[match.end() : match.end() + 1] == ":":
            continue
        return True
    return any(" " in m[0] or "\n" in m[0] for m in _EMAIL_SPACED.finditer(text))


# A Chinese mobile may begin like an American toll-free number; the grouping tells them apart.
_CN_MOBILE_WRITTEN = re.compile(r"^1[3-9]\d[ \-.·_]?\d{4}[ \-.·_]?\d{4}$")
_CN_MOBILE = re.compile(r"^(?:86|0086)?1[3-9]\d{9}$")
_UNLABELLED_PHONE = re.compile(
    r"^(?:1[3-9]\d{9}|(?:00|\+)?86[ \-]?1[3-9]\d[ \-.]?\d{4}[ \-.]?\d{4}"
    r"|1[3-9]\d[ \-.·_]\d{4}[ \-.·_]\d{4}|1[3-9]\d[ \-.·_]\d{8}|1[3-9]\d{2}[ \-.]\d{3}[ \-.]\d{4}"
    r"|1(?:[ \-.·]{1,3}\d){10}"
    r"|\(?0(?:10|2\d|[3-9]\d\d)\)?[ \-]{1,2}\d{3,4}[ \-]?\d{4}|0[789]0-\d{4}-\d{4}"
    r"|01[016789]-\d{3,4}-\d{4}|0[67](?:[ .]\d\d){4}|07\d{3}[ ]?\d{3}[ ]?\d{3}"
    r"|04\d{2}[ ]\d{3}[ ]\d{3}|09\d{2}-\d{3}-\d{3}"
    r"|\(?[2-9]\d\d\)?[ \-.]{1,2}[2-9]\d\d[\-.]\d{4}|\([2-9]\d\d\)\s?\d{3}[ \-]\d{4})$"
)


def _phone(text: str) -> bool:
    return any(_is_phone(text, match) for match in GROUPED.finditer(text))


def _is_phone(text: str, match: re.Match[str]) -> bool:
    whole = match[0]
    digits = digits_of(whole)
    lead = before(text, match.start(), 28)
    if (_HOTLINE.match(digits) and not _CN_MOBILE_WRITTEN.match(whole)) or BUSINESS.search(lead):
        return False
    if whole.lstrip("(").startswith("+") or (digits.startswith("00") and len(digits) >= 11):
        return _international(digits)
    for candidate in (whole, *re.findall(r"\d+", whole)):
        if _UNLABELLED_PHONE.match(candidate.strip()) and (
            _CN_MOBILE_WRITTEN.match(candidate) or not _HOTLINE.match(digits_of(candidate))
        ):
            return True
    contact = _CONTACT.search(around(text, match.start(), match.end()))
    if not contact or DATE.match(whole) or not re.match(r"^[\d\s\-.()·]+$", whole):
        return False
    if _CN_MOBILE.match(digits):
        return True
    return (
        7 <= len(digits) <= 13 and _CONTACT.search(before(text, match.start(), 22)) is not None and _plausible(digits)
    )


def _international(digits: str) -> bool:
    digits = digits.lstrip("0")
    phonenumbers, _ = libraries()
    for length in range(len(digits), 6, -1):
        try:
            number = phonenumbers.parse("+" + digits[:length], None)
        except phonenumbers.NumberParseException:
            return False
        if phonenumbers.is_possible_number(number):
            return phonenumbers.number_type(number) not in (
                phonenumbers.PhoneNumberType.TOLL_FREE,
                phonenumbers.PhoneNumberType.SHARED_COST,
                phonenumbers.PhoneNumberType.UAN,
            )
    return False


def _plausible(digits: str) -> bool:
    phonenumbers, _ = libraries()
    for region in ("CN", "US", "GB", "HK", "DE", "FR", "JP", "IN", "AU", "SG", "TW", "BR", "ES"):
        try:
            if phonenumbers.is_possible_number(phonenumbers.parse(digits, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


def _ip(text: str) -> bool:
    for match in (*_IPV4.finditer(text), *_IPV6.finditer(text)):
        try:
            address = ipaddress.ip_address(match[1])
        except ValueError:
            continue
        if (
            address.is_global
            and match[1] not in _WELL_KNOWN_IP
            and _IP_PERSONAL.search(around(text, match.start(), match.end(), 30, 12))
        ):
            return True
    return False


def _address(text: str) -> bool:
    for match in _ADDRESS_ZH.finditer(text) if _HOUSE_NUMBER.search(text) else ():
        detailed = re.search(r"\d\s?(?:室|户|单元|栋|幢|号楼|房)", match[0])
        if detailed or _ADDRESS_ZH_LABEL.search(before(text, match.start(), 12) + match[0][:6]):
            return True
    return bool(_ADDRESS_EN.search(text) or _POSTCODE_UK.search(text))


_RULES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("email_address", _email),
    ("licence_plate", lambda t: bool(_PLATE.search(t) or _PLATE_EN.search(t))),
    ("chat_handle", lambda t: bool(_HANDLE.search(t))),
    ("postal_address", _address),
    ("card_security_code", lambda t: bool(CARD_CODE.search(t))),
)
# None of these has fewer than four digits, so most texts need not be searched for them.
_NUMBER_RULES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("phone_number", _phone),
    ("cn_identity_card", cn_identity),
    ("greater_china_identity", greater_china_identity),
    ("official_paper_number", paper_number),
    ("national_number", national_number),
    ("payment_card", payment_card),
    ("bank_account", bank_account),
    ("personal_ip_address", _ip),
    ("device_identifier", lambda t: bool(_MAC.search(t) or _IMEI.search(t))),
)


def identifiers(text: str) -> Iterator[str]:
    """Rule ids of identifiers that name or reach one person."""
    rules = _RULES if len(_DIGIT.findall(text)) < 4 else (*_RULES, *_NUMBER_RULES)
    for rule, found in rules:
        if found(text):
            yield rule

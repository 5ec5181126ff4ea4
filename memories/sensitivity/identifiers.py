"""Identifiers of a person: numbers on cards and papers, phones, addresses of any sort, with their checksums."""

import ipaddress
import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from types import ModuleType

from memories.sensitivity.findings import EngineUnavailable
from memories.sensitivity.labels import lowered

_FLAGS = re.IGNORECASE
_BUSINESS = re.compile(
    r"(?:订单|单号|流水|编号|编码|批次|批号|合同|物料|课程|模板|工单|发票|快递|运单|序列号|型号|货号|条码|条形码|雪花|时间戳|版本|端口|主键|任务|资产|项目号|案号"
    r"|文号|税号|信用代码|统计|fixture"
    r"|(?<![a-z])(?:order|invoice|ticket|tracking|batch|serial|part|sku|snowflake|epoch|timestamp"
    r"|isbn|issn|doi|build|version|commit|request|trace|case|case id|po|purchase order|item|model"
    r"|asset|ean|upc|gtin"
    r"|unix time|account id|tenant|sample id|row|record|counter|transaction|txn))(?:\s?(?:id|no\.?"
    r"|number|号|#|numbers))?[\W_]{0,4}(?:是|为|is|was|like|such as|例如|格式)?[\W_]{0,4}$",
    _FLAGS,
)
_CONTACT = re.compile(
    r"(?:电话|手机|联系|座机|致电|拨打|打给|短信|微信|回访|来电|号码|传真|固话|热线|客户|本人|机主|紧急|联络|宅电|☎|📞|📱|(?<![a-z])(?:phone"
    r"|mobile|cell|tel|telephone|call|ring|text|sms|whatsapp|signal|telegram|viber|handy|fax|landline"
    r"|reach|contact"
    r"|dial|number is|móvil|telefon\w*|téléphone|portable|celular|numéro|nummer|numero|номер|телефон"
    r"|携帯|전화)(?![a-z]))",
    _FLAGS,
)
_HOTLINE = re.compile(
    r"^(?:\+?1?8(?:00|88|77|66|55|44|33)\d{7}|\+?(?:86)?[48]00\d{7}|(?:0800|0808|0845|0870|0300|1300|1800"
    r"|0120|0180\d)\d{4,8}|(?:\+?44)?(?:800|808)\d{6,7})$"
)
_GROUPED = re.compile(r"(?<![A-Za-z0-9.@/_\-])[+(]{0,2}\d(?:[ \-._·()\n\t]{0,3}\d){6,23}(?![0-9])")
_DATE = re.compile(r"^(?:19|20)\d\d[-./ ]?(?:0?[1-9]|1[0-2])[-./ ]?(?:0?[1-9]|[12]\d|3[01])(?!\d)")

_DIGIT = re.compile(r"[0-9]")

_PROVINCES = frozenset(
    [
        "11",
        "12",
        "13",
        "14",
        "15",
        "21",
        "22",
        "23",
        "31",
        "32",
        "33",
        "34",
        "35",
        "36",
        "37",
        "41",
        "42",
        "43",
        "44",
        "45",
        "46",
        "50",
        "51",
        "52",
        "53",
        "54",
        "61",
        "62",
        "63",
        "64",
        "65",
        "71",
        "81",
        "82",
        "83",
    ]
)
_CN_ID = re.compile(r"(?<![0-9A-Za-z])([1-8]\d(?:[ \-._·\n]{0,2}\d){15}[ \-._·\n]{0,2}[0-9Xx])(?![0-9A-Za-z])")
_CN_ID_LABEL = re.compile(r"身份证|身份證|证件|證件|id card|identity card|id number|公民身份", _FLAGS)
_CN_ID_OLD = re.compile(r"(?:身份证|身份證|证件号|老证)[^\n0-9]{0,16}(?:15\s?位)?[^\n0-9]{0,8}(\d{15})(?!\d)")
_HK_ID = re.compile(r"(?<![A-Za-z0-9])([A-Z]{1,2})\s?(\d{6})\s?(?:\(\s?([0-9A])\s?\)|([0-9A]))(?![A-Za-z0-9])")
_TW_ID = re.compile(r"(?<![A-Za-z0-9])[A-Z][1289A-D]\d{8}(?![A-Za-z0-9])")
_MACAU_ID = re.compile(r"(?<![A-Za-z0-9/])[1578]\s?/?\s?\d{6}\s?(?:/\s?\d|\(\s?\d\s?\))(?![A-Za-z0-9])")

_PAPER = re.compile(
    r"(?:护照|護照|通行证|通行證|台胞证|回乡证|居住证|居留证|居留许可|永居证?|绿卡|军官证|士兵证|警官证|驾驶证|驾照|驾驶执照|行驶证|社保卡?|社会保障|医保卡?|公积金|学籍"
    r"|准考证|户口本?|签证|港澳证|身份证|身份證|证件|證件|纳税人识别|残疾证"
    r"|(?<![a-z])(?:passport|visa (?:no|number)|driv(?:er'?s?|ing)\s?(?:licen[cs]e|permit)"
    r"|licen[cs]e (?:no|number)|national (?:id|insurance)|identity (?:card|number|no)|id (?:card"
    r"|number|no)|residence (?:permit|card)|green card|social (?:security|insurance)"
    r"|ssn|sin|itin|ein|nino|nhs|nric|fin|aadhaar|aadhar|pan(?: card)?|tax (?:id|file number|number)"
    r"|tfn|medicare|cpf|curp|rfc|dni|nie|nif|nir|codice fiscale|pesel|bsn|personnummer|hkid|my number"
    r"|voter id|insurance (?:no|number|policy)|health card|alien (?:no|number)|a-number"
    r"|steuer-?id|ausweis|rrn|matricule|utr|medical record|mrn|employee id card"
    r"|personal (?:identity )?number)(?![a-z]))",
    re.ASCII,
)
_PAPER_NUMBER = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9 .\-/]*\d)([A-Z]{0,5}[ \-]?\d[\dA-Z]*(?:[ .\-/]?[\dA-Z]{1,9}){0,6})(?"
    r"![A-Za-z0-9])"
)

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9_%+\-](?:[A-Za-z0-9._%+\-]{0,63})@(?:[A-Za-z0-9](?"
    r":[A-Za-z0-9\-]{0,62})\.){1,6}([A-Za-z]{2,24})(?![A-Za-z0-9\-(])"
)
_EMAIL_SPACED = re.compile(
    r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]{1,63}(?:\s{0,3}@\s{1,3}|\s{1,3}@\s{0,3}"
    r"|@)[A-Za-z0-9\-]{2,63}(?:\s{0,3}[.。]\s{0,3}[A-Za-z0-9\-]{2,63}){0,3}?\s{0,3}[.。]\s{0,3}"
    r"(?:com|net|org|edu|gov|cn|uk|de|fr|io|me|co|jp|kr|tw|hk|us|ca|au|in|ru|eu|info|biz|app|dev"
    r"|example|mail|email|nl|es|it|pt|ch|se|pl|br|sg)(?![A-Za-z0-9(])",
    _FLAGS,
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
    _FLAGS,
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
    _FLAGS,
)
_POSTCODE_UK = re.compile(r"\d{1,4}[A-Za-z]?\s[A-Z][a-z]+[\w ,]{2,50}?[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}(?![A-Za-z0-9])")

_IPV4 = re.compile(r"(?<![0-9A-Za-z.])(\d{1,3}(?:\.\d{1,3}){3})(?![0-9A-Za-z]|\.\d)")
_IPV6 = re.compile(r"(?<![0-9A-Za-z:])([0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,7})(?![0-9A-Za-z:])", _FLAGS)
_IP_PERSONAL = re.compile(
    r"我|家|本人|个人|宽带|公网|住|她|他的|用户的|登录ip|(?<![a-z])(?:my|her|his|home|personal|public ip|our house|broadband"
    r"|residential|user'?s|customer'?s|client'?s ip)(?![a-z])",
    _FLAGS,
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
    _FLAGS,
)
_IMEI = re.compile(r"(?:imei|meid|串号)[^\n]{0,16}?(?<!\d)\d{2}[ \-]?\d{6}[ \-]?\d{6}[ \-]?\d(?!\d)", _FLAGS)

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ \-]?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
_BANK_ACCOUNT = re.compile(
    r"(?:银行账[号户]|银行帐[号户]|收款账[号户]|开户账?号|对公账[号户]|工资卡|存折|卡号|(?<![a-z])(?:bank account|account (?:no\.?"
    r"|number)|acct\.?(?: no\.?)?|a/c(?: no\.?)?|routing (?:no\.?|number)|sort code|iban|clabe"
    r"|bsb)(?![a-z]))[^\n\d]{0,16}(\d(?:[ \-]?\d){5,21})(?!\d)",
    _FLAGS,
)
_CARD_WORD = re.compile(
    r"卡|银联|招行|工行|建行|农行|中行|交行|借记|储蓄|信用|打到|打款|打钱|转到|转账|报销|工资|收款|开户|有效期|(?<![a-z])(?:card|visa"
    r"|master\s?card|amex|american express|unionpay|discover|jcb|diners|debit|credit|cvv|cvc"
    r"|exp(?:iry|ires)?|charge|pan|cc|maestro)(?![a-z])",
    _FLAGS,
)
_ISSUER = re.compile(
    r"^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3(?:0[0-5]"
    r"|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:60|81"
    r"|9[0-9])\d{14,17}|(?:50|5[6-9]|6[0-9])\d{14,17})$"
)
_STRONG_ISSUER = re.compile(
    r"^(?:4\d{15}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d)\d{12}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$"
)
_CVV = re.compile(
    r"(?<![A-Za-z])(?:cvv2?|cvc2?|cid|安全码|后三位)[^\n\dA-Za-z]{0,6}(?:is|是|为)?\s?\d{3,4}(?!\d)", _FLAGS
)

_NINO = re.compile(
    r"(?<![A-Za-z0-9])(?!BG|GB|KN|NK|NT|TN"
    r"|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ \-]?\d{2}[ \-]?\d{2}[ \-]?\d{2}[ \-]?[A-D](?![A-Za-z0-9])"
)
_SSN = re.compile(r"(?<![A-Za-z0-9\-])(?!000|666)[0-9]\d{2}[ \-.]\d{2}[ \-.](?!0000)\d{4}(?![A-Za-z0-9\-])")


@lru_cache(maxsize=1)
def _libraries() -> tuple[ModuleType, dict[str, Callable[[str], bool]]]:
    """phonenumbers, and the checksum of every number whose shape alone proves little."""
    try:
        import phonenumbers
        from stdnum import iban, luhn, verhoeff
        from stdnum.br import cpf
        from stdnum.cn import ric
        from stdnum.es import dni, nie
        from stdnum.fi import hetu
        from stdnum.fr import nir
        from stdnum.it import codicefiscale
        from stdnum.mx import curp
        from stdnum.pl import pesel
        from stdnum.se import personnummer
        from stdnum.th import pin
        from stdnum.us import ssn
    except Exception as error:
        raise EngineUnavailable("identifier checks") from error
    return phonenumbers, {
        "luhn": luhn.is_valid,
        "iban": iban.is_valid,
        "verhoeff": verhoeff.is_valid,
        "cn_id": lambda n: ric.calc_check_digit(n) == n[-1],
        "ssn": ssn.is_valid,
        "cpf": cpf.is_valid,
        "dni": lambda n: dni.is_valid(n) or nie.is_valid(n),
        "hetu": hetu.is_valid,
        "nir": nir.is_valid,
        "codicefiscale": codicefiscale.is_valid,
        "curp": curp.is_valid,
        "pesel": pesel.is_valid,
        "personnummer": personnummer.is_valid,
        "thai": pin.is_valid,
    }


def build() -> None:
    """Load the libraries now instead of at the first text."""
    _libraries()


def _valid(check: str, number: str) -> bool:
    try:
        return bool(_libraries()[1][check](number))
    except EngineUnavailable:
        raise
    except Exception:
        return False


def _before(text: str, at: int, width: int = 24) -> str:
    return text[max(0, at - width) : at]


def _around(text: str, start: int, end: int, before: int = 28, after: int = 14) -> str:
    return text[max(0, start - before) : start] + " \x1f " + text[end : end + after]


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _real_date(yyyymmdd: str) -> bool:
    try:
        return 1900 <= date(int(yyyymmdd[:4]), int(yyyymmdd[4:6]), int(yyyymmdd[6:])).year <= 2035
    except ValueError:
        return False


def _email(text: str) -> bool:
    for match in _EMAIL.finditer(text):
        if match[1].lower() in _FILE_ENDING and re.search(r"@\dx\.", match[0]):
            continue
        if match[0].startswith("git@") and text[match.end() : match.end() + 1] == ":":
            continue
        return True
    return any(" " in m[0] or "\n" in m[0] for m in _EMAIL_SPACED.finditer(text))


def _cn_id(text: str) -> bool:
    for match in _CN_ID.finditer(text):
        number = re.sub(r"[^0-9Xx]", "", match[1]).upper()
        if number[:2] not in _PROVINCES or not _real_date(number[6:14]):
            continue
        if _valid("cn_id", number) or _CN_ID_LABEL.search(_around(text, match.start(), match.end())):
            return True
    return any(_real_date("19" + m[1][6:12]) for m in _CN_ID_OLD.finditer(text))


def _hk_check(letters: str, digits: str, check: str) -> bool:
    values = [36 if len(letters) == 1 else ord(letters[0]) - 55, ord(letters[-1]) - 55, *map(int, digits)]
    total = sum(v * w for v, w in zip(values, range(9, 1, -1), strict=True))
    return (11 - total % 11) % 11 == (10 if check == "A" else int(check))


def _greater_china_id(text: str) -> bool:
    labelled = re.compile(
        r"身份证|身份證|证号|證號|身分|香港|澳门|澳門|台湾|台灣|hkid|hong kong|taiwan|macau|id card|identity|id no|id number"
        r"|national id",
        _FLAGS,
    )
    for match in _HK_ID.finditer(text):
        near = labelled.search(_around(text, match.start(), match.end()))
        check = match[3] or match[4]
        if (near and match[3]) or (_hk_check(match[1], match[2], check) and (near or match[3])):
            return True
    for match in _TW_ID.finditer(text):
        near = labelled.search(_around(text, match.start(), match.end()))
        if near or (_tw_check(match[0]) and not _BUSINESS.search(_before(text, match.start()))):
            return True
    return any(labelled.search(_around(text, m.start(), m.end())) for m in _MACAU_ID.finditer(text))


def _tw_check(number: str) -> bool:
    order = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
    if number[0] not in order or not number[1].isdigit():
        return False
    letter = order.index(number[0]) + 10
    total = (
        letter // 10
        + letter % 10 * 9
        + sum(int(d) * w for d, w in zip(number[1:9], range(8, 0, -1), strict=True))
        + int(number[9])
    )
    return total % 10 == 0


def _paper(text: str) -> bool:
    """A number beside the name of an official paper."""
    for label in _PAPER.finditer(lowered(text)):
        tail = text[label.end() : label.end() + 48]
        stop = re.search(r"[\n。;!?]|\s(?:size|photo|form|format)", tail)
        for match in _PAPER_NUMBER.finditer(tail[: stop.start()] if stop else tail):
            value = match[1].strip()
            if re.match(r"\s?[*xX•●]{2,}", tail[match.end() :]):  # masked
                continue
            count = sum(c.isdigit() for c in value)
            if (
                count >= 6
                and not _DATE.match(value)
                and len(value) <= 26
                and not (" " in value and count < 8 and not re.search(r"[A-Z]", value))
            ):
                return True
        head = text[max(0, label.start() - 30) : label.start()]
        if any(
            sum(c.isdigit() for c in m[1]) >= 6
            and re.match(r"\s?(?:is|是|为|作为|,)\s?(?:my|我的|本人|her|his)?\s?", head[m.end() :] + " ")
            and not _DATE.match(m[1])
            and re.search(r"(?:is|是|为)\s?(?:my|her|his|our|我|本人|他|她)?\S{0,4}\s?$", head)
            for m in _PAPER_NUMBER.finditer(head)
        ):
            return True
    return False


_NATIONAL: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?<![A-Za-z0-9\-])(?:{pattern})(?![A-Za-z0-9\-])"), check)
    for pattern, check in (
        (r"\d{3}\.\d{3}\.\d{3}-\d{2}", "cpf"),
        (r"[XYZ]?\d{7,8}-?[A-Z]", "dni"),
        (r"\d{6}[-+ABCDEFYXWVU]\d{3}[0-9A-Y]", "hetu"),
        (r"[12][ ]?\d{2}[ ]?(?:0[1-9]|1[0-2]|[2-9]\d)[ ]?\d[0-9AB][ ]?\d{3}[ ]?\d{3}[ ]?\d{2}", "nir"),
        (r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", "codicefiscale"),
        (r"[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d", "curp"),
        (r"(?:\d{2})?\d{6}[-+]\d{4}", "personnummer"),
        (r"\d-\d{4}-\d{5}-\d{2}-\d", "thai"),
        (r"[2-9]\d{3}[ \-]\d{4}[ \-]\d{4}", "verhoeff"),
    )
)
_SHAPED = tuple(
    re.compile(rf"(?<![A-Za-z0-9\-])(?:{pattern})(?![A-Za-z0-9\-])")
    for pattern in (
        r"\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-8]\d{6}",  # Korea
        r"\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-\d{2}-\d{4}",  # Malaysia
        r"[A-Z]{3}[PCHFATBLJG][A-Z]\d{4}[A-Z]",  # India PAN
    )
)
_NRIC = re.compile(r"(?<![A-Za-z0-9])([STFGM])(\d{7})([A-Z])(?![A-Za-z0-9])")


def _nric(text: str) -> bool:
    for prefix, digits, letter in _NRIC.findall(text):
        total = sum(int(d) * w for d, w in zip(digits, (2, 7, 6, 5, 4, 3, 2), strict=True))
        total += {"T": 4, "G": 4, "M": 3}.get(prefix, 0)
        if prefix in "ST" and "JZIHGFEDCBA"[total % 11] == letter:
            return True
        if prefix in "FG" and "XWUTRQPNMLK"[total % 11] == letter:
            return True
        if prefix == "M" and "KLJNPQRTUWX"[10 - total % 11] == letter:
            return True
    return False


_NATIONAL_HINT = re.compile(r"[0-9][0-9A-Z .\-+]{6}|[A-Z]{4,6}[0-9]{2}|[A-Z][0-9]{7}")


def _national(text: str) -> bool:
    if not _NATIONAL_HINT.search(text):
        return False
    for pattern, check in _NATIONAL:
        for match in pattern.finditer(text):
            if _valid(check, match[0]) and not _BUSINESS.search(_before(text, match.start())):
                return True
    for shape in _SHAPED:
        if any(not _BUSINESS.search(_before(text, m.start())) for m in shape.finditer(text)):
            return True
    for match in _SSN.finditer(text):
        if not _BUSINESS.search(_before(text, match.start())) and (
            "-" in match[0] or _PAPER.search(lowered(_before(text, match.start(), 40)))
        ):
            return True
    return bool(_NINO.search(text)) or _nric(text)


def _card(text: str) -> bool:
    for match in _GROUPED.finditer(text):
        for number, start, end in _spans(match, 13, 19):
            if not _ISSUER.match(number):
                continue
            near = bool(_CARD_WORD.search(_around(text, start, end)))
            if (
                near
                and (_valid("luhn", number) or _STRONG_ISSUER.match(number))
                and not re.search(r"订单|流水|单号|order", _before(text, start, 12), _FLAGS)
            ):
                return True
            if _STRONG_ISSUER.match(number) and _valid("luhn", number) and not _BUSINESS.search(_before(text, start)):
                return True
    return False


def _spans(match: re.Match[str], shortest: int, longest: int) -> Iterator[tuple[str, int, int]]:
    """The whole candidate, then every run of its groups, whose number of digits is in range."""
    if re.fullmatch(r"\d{1,3}\.\d{6,}", match[0]):  # a decimal number
        return
    whole = _digits(match[0])
    if shortest <= len(whole) <= longest:
        yield whole, match.start(), match.end()
    groups = list(re.finditer(r"\d+", match[0]))
    if not 1 < len(groups) <= 8:
        return
    for i in range(len(groups)):
        number = ""
        for j in range(i, len(groups)):
            number += groups[j][0]
            if len(number) > longest:
                break
            if len(number) >= shortest and not (i == 0 and j == len(groups) - 1):
                yield number, match.start() + groups[i].start(), match.start() + groups[j].end()


def _bank(text: str) -> bool:
    for match in _IBAN.finditer(text):
        value = re.sub(r"[ \-]", "", match[0])
        if any(
            _valid("iban", value[:n]) for n in (len(value), 22, 27, 24, 18, 20, 16, 21, 28, 29) if 15 <= n <= len(value)
        ):
            return True
    return any(len(_digits(m[1])) >= (6 if "sort" in m[0].lower() else 8) for m in _BANK_ACCOUNT.finditer(text))


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
    return any(_is_phone(text, match) for match in _GROUPED.finditer(text))


def _is_phone(text: str, match: re.Match[str]) -> bool:
    whole = match[0]
    digits = _digits(whole)
    before = _before(text, match.start(), 28)
    if (_HOTLINE.match(digits) and not _CN_MOBILE_WRITTEN.match(whole)) or _BUSINESS.search(before):
        return False
    if whole.lstrip("(").startswith("+") or (digits.startswith("00") and len(digits) >= 11):
        return _international(digits)
    for candidate in (whole, *re.findall(r"\d+", whole)):
        if _UNLABELLED_PHONE.match(candidate.strip()) and (
            _CN_MOBILE_WRITTEN.match(candidate) or not _HOTLINE.match(_digits(candidate))
        ):
            return True
    contact = _CONTACT.search(_around(text, match.start(), match.end()))
    if not contact or _DATE.match(whole) or not re.match(r"^[\d\s\-.()·]+$", whole):
        return False
    if _CN_MOBILE.match(digits):
        return True
    return (
        7 <= len(digits) <= 13 and _CONTACT.search(_before(text, match.start(), 22)) is not None and _plausible(digits)
    )


def _international(digits: str) -> bool:
    digits = digits.lstrip("0")
    phonenumbers, _ = _libraries()
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
    phonenumbers, _ = _libraries()
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
            and _IP_PERSONAL.search(_around(text, match.start(), match.end(), 30, 12))
        ):
            return True
    return False


def _address(text: str) -> bool:
    for match in _ADDRESS_ZH.finditer(text) if _HOUSE_NUMBER.search(text) else ():
        detailed = re.search(r"\d\s?(?:室|户|单元|栋|幢|号楼|房)", match[0])
        if detailed or _ADDRESS_ZH_LABEL.search(_before(text, match.start(), 12) + match[0][:6]):
            return True
    return bool(_ADDRESS_EN.search(text) or _POSTCODE_UK.search(text))


_RULES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("email_address", _email),
    ("licence_plate", lambda t: bool(_PLATE.search(t) or _PLATE_EN.search(t))),
    ("chat_handle", lambda t: bool(_HANDLE.search(t))),
    ("postal_address", _address),
    ("card_security_code", lambda t: bool(_CVV.search(t))),
)
# None of these has fewer than four digits, so most texts need not be searched for them.
_NUMBER_RULES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("phone_number", _phone),
    ("cn_identity_card", _cn_id),
    ("greater_china_identity", _greater_china_id),
    ("official_paper_number", _paper),
    ("national_number", _national),
    ("payment_card", _card),
    ("bank_account", _bank),
    ("personal_ip_address", _ip),
    ("device_identifier", lambda t: bool(_MAC.search(t) or _IMEI.search(t))),
)


def identifiers(text: str) -> Iterator[str]:
    """Rule ids of identifiers that name or reach one person."""
    rules = _RULES if len(_DIGIT.findall(text)) < 4 else (*_RULES, *_NUMBER_RULES)
    for rule, found in rules:
        if found(text):
            yield rule

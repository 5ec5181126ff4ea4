"""Numbers of official papers: identity cards, passports, licences, social and tax numbers of many countries."""

import re
from datetime import date

from memories.sensitivity.labels import lowered
from memories.sensitivity.numbers import BUSINESS, DATE, IGNORE_CASE, around, before, is_valid

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
_CN_ID_LABEL = re.compile(r"身份证|身份證|证件|證件|id card|identity card|id number|公民身份", IGNORE_CASE)
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
_NINO = re.compile(
    r"(?<![A-Za-z0-9])(?!BG|GB|KN|NK|NT|TN"
    r"|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ \-]?\d{2}[ \-]?\d{2}[ \-]?\d{2}[ \-]?[A-D](?![A-Za-z0-9])"
)
_SSN = re.compile(r"(?<![A-Za-z0-9\-])(?!000|666)[0-9]\d{2}[ \-.]\d{2}[ \-.](?!0000)\d{4}(?![A-Za-z0-9\-])")


def _real_date(yyyymmdd: str) -> bool:
    try:
        return 1900 <= date(int(yyyymmdd[:4]), int(yyyymmdd[4:6]), int(yyyymmdd[6:])).year <= 2035
    except ValueError:
        return False


def cn_identity(text: str) -> bool:
    for match in _CN_ID.finditer(text):
        number = re.sub(r"[^0-9Xx]", "", match[1]).upper()
        if number[:2] not in _PROVINCES or not _real_date(number[6:14]):
            continue
        if is_valid("cn_id", number) or _CN_ID_LABEL.search(around(text, match.start(), match.end())):
            return True
    return any(_real_date("19" + m[1][6:12]) for m in _CN_ID_OLD.finditer(text))


def _hk_check(letters: str, digits: str, check: str) -> bool:
    values = [36 if len(letters) == 1 else ord(letters[0]) - 55, ord(letters[-1]) - 55, *map(int, digits)]
    total = sum(v * w for v, w in zip(values, range(9, 1, -1), strict=True))
    return (11 - total % 11) % 11 == (10 if check == "A" else int(check))


def greater_china_identity(text: str) -> bool:
    labelled = re.compile(
        r"身份证|身份證|证号|證號|身分|香港|澳门|澳門|台湾|台灣|hkid|hong kong|taiwan|macau|id card|identity|id no|id number"
        r"|national id",
        IGNORE_CASE,
    )
    for match in _HK_ID.finditer(text):
        near = labelled.search(around(text, match.start(), match.end()))
        check = match[3] or match[4]
        if (near and match[3]) or (_hk_check(match[1], match[2], check) and (near or match[3])):
            return True
    for match in _TW_ID.finditer(text):
        near = labelled.search(around(text, match.start(), match.end()))
        if near or (_tw_check(match[0]) and not BUSINESS.search(before(text, match.start()))):
            return True
    return any(labelled.search(around(text, m.start(), m.end())) for m in _MACAU_ID.finditer(text))


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


def paper_number(text: str) -> bool:
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
                and not DATE.match(value)
                and len(value) <= 26
                and not (" " in value and count < 8 and not re.search(r"[A-Z]", value))
            ):
                return True
        head = text[max(0, label.start() - 30) : label.start()]
        if any(
            sum(c.isdigit() for c in m[1]) >= 6
            and re.match(r"\s?(?:is|是|为|作为|,)\s?(?:my|我的|本人|her|his)?\s?", head[m.end() :] + " ")
            and not DATE.match(m[1])
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


def national_number(text: str) -> bool:
    if not _NATIONAL_HINT.search(text):
        return False
    for pattern, check in _NATIONAL:
        for match in pattern.finditer(text):
            if is_valid(check, match[0]) and not BUSINESS.search(before(text, match.start())):
                return True
    for shape in _SHAPED:
        if any(not BUSINESS.search(before(text, m.start())) for m in shape.finditer(text)):
            return True
    for match in _SSN.finditer(text):
        if not BUSINESS.search(before(text, match.start())) and (
            "-" in match[0] or _PAPER.search(lowered(before(text, match.start(), 40)))
        ):
            return True
    return bool(_NINO.search(text)) or _nric(text)

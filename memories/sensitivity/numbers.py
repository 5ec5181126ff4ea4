"""What numbers of a person have in common: checksums, grouping, and the words around that decide."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import ModuleType

from memories.sensitivity.findings import EngineUnavailable

IGNORE_CASE = re.IGNORECASE
BUSINESS = re.compile(
    r"(?:订单|单号|流水|编号|编码|批次|批号|合同|物料|课程|模板|工单|发票|快递|运单|序列号|型号|货号|条码|条形码|雪花|时间戳|版本|端口|主键|任务|资产|项目号|案号"
    r"|文号|税号|信用代码|统计|fixture"
    r"|(?<![a-z])(?:order|invoice|ticket|tracking|batch|serial|part|sku|snowflake|epoch|timestamp"
    r"|isbn|issn|doi|build|version|commit|request|trace|case|case id|po|purchase order|item|model"
    r"|asset|ean|upc|gtin"
    r"|unix time|account id|tenant|sample id|row|record|counter|transaction|txn))(?:\s?(?:id|no\.?"
    r"|number|号|#|numbers))?[\W_]{0,4}(?:是|为|is|was|like|such as|例如|格式)?[\W_]{0,4}$",
    IGNORE_CASE,
)
GROUPED = re.compile(r"(?<![A-Za-z0-9.@/_\-])[+(]{0,2}\d(?:[ \-._·()\n\t]{0,3}\d){6,23}(?![0-9])")
DATE = re.compile(r"^(?:19|20)\d\d[-./ ]?(?:0?[1-9]|1[0-2])[-./ ]?(?:0?[1-9]|[12]\d|3[01])(?!\d)")


@lru_cache(maxsize=1)
def libraries() -> tuple[ModuleType, dict[str, Callable[[str], bool]]]:
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
    libraries()


def is_valid(check: str, number: str) -> bool:
    try:
        return bool(libraries()[1][check](number))
    except EngineUnavailable:
        raise
    except Exception:
        return False


def before(text: str, at: int, width: int = 24) -> str:
    return text[max(0, at - width) : at]


def around(text: str, start: int, end: int, before: int = 28, after: int = 14) -> str:
    return text[max(0, start - before) : start] + " \x1f " + text[end : end + after]


def digits_of(text: str) -> str:
    return re.sub(r"\D", "", text)


def spans(match: re.Match[str], shortest: int, longest: int) -> Iterator[tuple[str, int, int]]:
    """The whole candidate, then every run of its groups, whose number of digits is in range."""
    if re.fullmatch(r"\d{1,3}\.\d{6,}", match[0]):  # a decimal number
        return
    whole = digits_of(match[0])
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

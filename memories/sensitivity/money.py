"""Numbers that reach a person's money: payment cards, bank accounts, card security codes."""

import re

from memories.sensitivity.numbers import BUSINESS, GROUPED, IGNORE_CASE, around, before, digits_of, is_valid, spans

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ \-]?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
_BANK_ACCOUNT = re.compile(
    r"(?:银行账[号户]|银行帐[号户]|收款账[号户]|开户账?号|对公账[号户]|工资卡|存折|卡号|(?<![a-z])(?:bank account|account (?:no\.?"
    r"|number)|acct\.?(?: no\.?)?|a/c(?: no\.?)?|routing (?:no\.?|number)|sort code|iban|clabe"
    r"|bsb)(?![a-z]))[^\n\d]{0,16}(\d(?:[ \-]?\d){5,21})(?!\d)",
    IGNORE_CASE,
)
_CARD_WORD = re.compile(
    r"卡|银联|招行|工行|建行|农行|中行|交行|借记|储蓄|信用|打到|打款|打钱|转到|转账|报销|工资|收款|开户|有效期|(?<![a-z])(?:card|visa"
    r"|master\s?card|amex|american express|unionpay|discover|jcb|diners|debit|credit|cvv|cvc"
    r"|exp(?:iry|ires)?|charge|pan|cc|maestro)(?![a-z])",
    IGNORE_CASE,
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
CARD_CODE = re.compile(
    r"(?<![A-Za-z])(?:cvv2?|cvc2?|cid|安全码|后三位)[^\n\dA-Za-z]{0,6}(?:is|是|为)?\s?\d{3,4}(?!\d)", IGNORE_CASE
)


def payment_card(text: str) -> bool:
    for match in GROUPED.finditer(text):
        for number, start, end in spans(match, 13, 19):
            if not _ISSUER.match(number):
                continue
            near = bool(_CARD_WORD.search(around(text, start, end)))
            if (
                near
                and (is_valid("luhn", number) or _STRONG_ISSUER.match(number))
                and not re.search(r"订单|流水|单号|order", before(text, start, 12), IGNORE_CASE)
            ):
                return True
            if _STRONG_ISSUER.match(number) and is_valid("luhn", number) and not BUSINESS.search(before(text, start)):
                return True
    return False


def bank_account(text: str) -> bool:
    for match in _IBAN.finditer(text):
        value = re.sub(r"[ \-]", "", match[0])
        if any(
            is_valid("iban", value[:n])
            for n in (len(value), 22, 27, 24, 18, 20, 16, 21, 28, 29)
            if 15 <= n <= len(value)
        ):
            return True
    return any(len(digits_of(m[1])) >= (6 if "sort" in m[0].lower() else 8) for m in _BANK_ACCOUNT.finditer(text))

"""Synthetic secrets and identifiers, made when a test runs, so that no file holds one. All belong to nobody."""

import base64
import random
import string
from collections.abc import Sequence
from datetime import date, timedelta

_RNG = random.Random(20_261_130)
BASE62 = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"


def characters(length: int, alphabet: str = BASE62) -> str:
    """Random characters, always with a digit and a letter where the alphabet has both."""
    while True:
        text = "".join(_RNG.choices(alphabet, k=length))
        wants = [kind for kind in (str.isdigit, str.isalpha) if any(map(kind, alphabet))]
        if length < 6 or all(sum(map(kind, text)) >= 2 for kind in wants):
            return text


def digits(length: int) -> str:
    return "".join(_RNG.choices(string.digits, k=length))


def prefixed(prefix: str, length: int, alphabet: str = BASE62) -> str:
    """A vendor token: the vendor's prefix and random characters."""
    return prefix + characters(length, alphabet)


def aws_key() -> str:
    return prefixed("AK" + "IA", 16, UPPER)


def github_token() -> str:
    return prefixed("gh" + "p_", 36)


def sk_key(length: int = 40) -> str:
    return prefixed("sk" + "-", length)


def bearer(token: str | None = None) -> str:
    return "Bear" + "er " + (token or characters(32))


def jwt() -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    return ".".join((part('{"alg":"HS256","typ":"JWT"}'), part('{"sub":"' + characters(8) + '"}'), characters(43)))


def private_key_block(kind: str = "RSA ") -> str:
    lines = "\n".join(characters(64, BASE62 + "+/") for _ in range(3))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


def password(style: str = "symbol") -> str:
    """Something a person might choose."""
    word = _RNG.choice(("Kestrel", "Walnut", "Harbour", "Saffron", "Lantern", "Pebble"))
    number = str(_RNG.randint(1100, 9899))
    return {
        "symbol": f"{word}#{number}",
        "dash": f"{word.lower()}-{number}",
        "plain": f"{word}{number}!",
        "noise": characters(5) + _RNG.choice("$%^&") + characters(5),
        "cjk": _RNG.choice(("山高水长", "风雨同舟", "月下独酌")) + number,
    }[style]


def pin(length: int = 6) -> str:
    """Digits that are no year and no run of one digit."""
    return "".join(_RNG.choices("3456789", k=length - 1)) + _RNG.choice("12")


def email() -> str:
    return f"{characters(6, string.ascii_lowercase)}.{characters(5, string.ascii_lowercase)}@mail{digits(2)}-sample.org"


def cn_mobile() -> str:
    return "1" + _RNG.choice("35789") + _RNG.choice("0356789") + digits(8)


def grouped(number: str, sizes: Sequence[int], separator: str = " ") -> str:
    """The number cut into groups of the given sizes."""
    parts, at = [], 0
    for size in sizes:
        parts.append(number[at : at + size])
        at += size
    if at < len(number):
        parts.append(number[at:])
    return separator.join(part for part in parts if part)


def birthday() -> date:
    return date(1950, 1, 1) + timedelta(days=_RNG.randint(0, 20_000))


def cn_id() -> str:
    body = _RNG.choice(("110105", "320106", "440304", "510107")) + birthday().strftime("%Y%m%d") + digits(3)
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return body + "10X98765432"[sum(int(d) * w for d, w in zip(body, weights, strict=True)) % 11]


def with_luhn(body: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(body)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return body + str(-total % 10)


def card(prefix: str = "4", length: int = 16) -> str:
    return with_luhn(prefix + digits(length - len(prefix) - 1))


def hk_id() -> str:
    letter, body = _RNG.choice("ACDGKPR"), digits(6)
    values = [36, ord(letter) - 55, *map(int, body)]
    check = (11 - sum(v * w for v, w in zip(values, range(9, 1, -1), strict=True)) % 11) % 11
    return f"{letter}{body}({'A' if check == 10 else check})"


def tw_id() -> str:
    letter = _RNG.choice("ABCDEFGH")
    number = 10 + "ABCDEFGH".index(letter)
    body = _RNG.choice("12") + digits(7)
    total = number // 10 + number % 10 * 9 + sum(int(d) * w for d, w in zip(body, range(8, 0, -1), strict=True))
    return f"{letter}{body}{-total % 10}"


def iban(country: str = "DE", length: int = 22) -> str:
    body = digits(length - 4)
    number = "".join(str(int(c, 36)) for c in body + country + "00")
    return f"{country}{98 - int(number) % 97:02d}{body}"


def us_ssn() -> str:
    return f"{_RNG.randint(101, 665)}-{_RNG.randint(11, 88)}-{_RNG.randint(1001, 9898)}"


def uk_nino() -> str:
    return (
        "".join(_RNG.choices("ABCEGHJ", k=2)).replace("GB", "AB").replace("BG", "AB") + digits(6) + _RNG.choice("ABCD")
    )


def public_ip() -> str:
    parts = (_RNG.choice((36, 58, 101, 113, 121, 180)), *(_RNG.randint(20, 220) for _ in range(3)))
    return ".".join(map(str, parts))


def seed_words(count: int = 12) -> str:
    words = (
        "river",
        "candle",
        "marble",
        "orbit",
        "velvet",
        "copper",
        "meadow",
        "pencil",
        "thunder",
        "basket",
        "island",
    )
    return " ".join(_RNG.choice(words) for _ in range(count))


def fullwidth(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def zero_width(text: str) -> str:
    return "\u200b".join(text)


def cyrillic(text: str) -> str:
    """The text with letters swapped for their Cyrillic look-alikes."""
    return text.translate(str.maketrans("AaBcCeEHKMoOPpTxXy", "АаВсСеЕНКМоОРрТхХу"))


def tag_characters(text: str) -> str:
    return "".join(chr(0xE0000 + ord(c)) for c in text)


def as_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def as_hex(text: str) -> str:
    return text.encode().hex()


def as_percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def as_entities(text: str) -> str:
    return "".join(f"&#{ord(c)};" for c in text)


def cn_numerals(number: str) -> str:
    return number.translate(str.maketrans("0123456789", "零一二三四五六七八九"))

"""What a value looks like: a placeholder, code, an ordinary word, or something only a secret would be."""

import re

_PLACEHOLDER = re.compile(
    r"""^[\s"'`(\[]*(?:
      <.* | \$\{.* | \$\(.* | \$[A-Za-z_]+$ | \{\{.* | \{[A-Za-z_.]*\}?$ | %[sd({].* | %\w+%$ | @[A-Za-z_]+@$ | :[A-Za-z_]+$ | \?+$
    | [*•·●xX.#_\-?]{3,}\w{0,4}$ | .*\*{3,}.* | .*x{6,}.* | .*\.{3,}$ | .*…$ | (?:\[|\()?(?:redacted|hidden|masked).*
    | (?:your|insert|enter|paste|put)[_\- ]?\w*(?:key|token|secret|pass|pwd|password|here|value|code|id).*
    | your[_\-].* | .*(?:replace|change)[_\-]?(?:me|this|it)\W*$
    | .*(?:example|placeholder|redacted|dummy|sample|todo|fixme|foobar)(?:key|token|secret|password)?\W*$
    | (?:test|foo|bar|baz|abc|xyz|null|none|nil|true|false|undefined|empty|blank|password|passwd|pass|pwd|passphrase|secret|token
        |key|apikey|api_key|my_?password|my_?secret|changeme|string|str|int|bytes|text|value|username|user|hunter2|optional|required
        )[\]})"'`;,.:!?]*$
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_SHOUTED_NAME = re.compile(r"^[\"'`]*[A-Z]{2,}(?:_[A-Z]+)*(?:_[A-Z0-9]{1,2})?[\"'`.,;:!?]*$")
_CODE = re.compile(
    r"^(?:[A-Za-z_][\w.]*[(\[]|(?:os|process|settings|config|env|self|this|secrets|vault|app|request"
    r"|req|params|args|data|ctx|var|local"
    r"|module|resource|Deno|System|import\.meta|std|cfg|conf|props|state|ENV)(?:\.[A-Za-z_]\w*)+"
    r"|[A-Za-z_]+(?:\.[A-Za-z_]+){2,}$"
    r"|[!=<>]=|lambda\b|await\b|new\b|function\b|\|\||&&|f[\"']|[({\[|])"
)
_PATH = re.compile(
    r"^(?:~?\.{0,2}/[\w./-]+|[A-Za-z]:\\.*|[a-z][a-z0-9+.-]{1,20}://[^\s@]*"
    r"|[\w./-]+\.(?:pem|key|json|ya?ml|toml|env|txt|md|py|js|ts|go|rs|sh|cfg|ini|conf|crt|csv|html?"
    r"|png|jpe?g|svg|pdf|xlsx?|docx?|zip))[.,;:]*$"
)
# Names with digits in them that stand beside "password" and "token" in ordinary technical prose.
_TECHNICAL = re.compile(
    r"^(?:sha-?\d{1,3}|md5|argon2(?:id|i|d)?|bcrypt\d?|scrypt|pbkdf2\w*|hmac-?\w*|aes-?\d*\w*"
    r"|rsa-?\d*|ecdsa-?\w*|ed25519|x25519|curve25519"
    r"|[hrep]s\d{3}|base(?:16|32|58|64)(?:url)?|utf-?\d+|gbk|ascii|unicode|oauth-?\d?(?:\.\d)?|oidc"
    r"|saml-?\d?(?:\.\d)?|jwt|jwe|jws|jwk|http/?\d?(?:\.\d)?"
    r"|https?|tls-?\d?(?:\.\d)?|ssl-?\d?|ssh-?\d?|x\.?509|pkcs\W?\d+|fido-?2?|u2f|webauthn|2fa|mfa"
    r"|totp|hotp|otp|uuid-?v?\d?|ulid|v\d+(?:\.\d+)*(?:[-.]?(?:alpha|beta|rc|dev)\w*)?"
    r"|[a-z]?\d{1,2}\+?|ipv[46]|s3|ec2|k8s|python-?3?(?:\.\d+)*|node\d*|web3|mp[34]|h264"
    r"|gpt-?[\d.o]+\w*|claude-?\d\S*|rfc-?\s?\d+|iso-?\d+|nist\S{0,8}"
    r"|(?:ctrl|cmd|alt|shift|option|fn)\+\S*|f\d{1,2}|bip-?\d+|crc-?\d+|sm[234]|int\d+"
    r"|varchar\(?\d*\)?|char\(?\d*\)?|(?:19|20)\d\d[-/年.]\S*"
    r"|\d+\s?(?:bits?|bytes?|chars?|characters|digits?|min(?:ute)?s?|h(?:ou)?rs?|s|ms|sec(?:ond)?s?"
    r"|days?|weeks?|months?|years?|k|kb|mb|gb|x|%)"
    r"|\d+[个位字天年月日时分秒次条种元号章节页行列层级款]\S*|wpa-?\d\w*|wi-?fi-?\d\w*|\d(?:\.\d)?ghz|802\.\d+\w*)[.,;:!?]*$",
    re.IGNORECASE,
)
_UUID = re.compile(r"^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$", re.IGNORECASE)
_EDGES = "\"'`“”‘’「」『』《》<>()[]{},.;:!?，。；：！？、"

UNIT_AFTER = (
    r"(?!\s{0,2}(?:[个位字天年月日时分秒次条种元块件章节页行列层级款楼岁人名份张台套倍米]|bits?\b|bytes?\b|chars?\b|characters?\b"
    r"|digits?\b|min|hour|sec"
    r"|days?\b|weeks?\b|months?\b|years?\b|times\b|users?\b|tokens?\b|requests?\b|steps?\b|lines?\b"
    r"|rows?\b|pages?\b|words?\b|people\b|points?\b|kg\b|mm\b|cm\b|km\b|dollars?\b|euros?\b|rpm\b"
    r"|items?\b|端口|号端口|以[上内下]|左右|px|ms\b|kb\b|mb\b|%|[.,]\d))"
)


def is_placeholder(value: str) -> bool:
    """Whether the value stands for a secret instead of being one."""
    return is_stand_in(value) or bool(_SHOUTED_NAME.match(value))


def is_stand_in(value: str) -> bool:
    """Whether the value is a mask or a hint such as your-key-here. A name in capitals alone is not: some keys are."""
    return bool(_PLACEHOLDER.match(value))


def is_code(value: str) -> bool:
    """Whether the value is an expression, a path or a plain address instead of a literal."""
    return bool(_CODE.match(value) or _PATH.match(value))


def is_uuid(value: str) -> bool:
    return bool(_UUID.match(value))


def bare(value: str) -> str:
    """The value without quotes and punctuation around it."""
    return value.strip(_EDGES)


def changes(value: str) -> int:
    """How often the character class changes along the value; ordinary names change rarely."""
    classes = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in value if c.isalnum()]
    return sum(a != b for a, b in zip(classes, classes[1:], strict=False))


def looks_random(value: str, shortest: int = 16) -> bool:
    """A long token that mixes letters and digits the way generated credentials do."""
    if len(value) < shortest or is_placeholder(value) or is_code(value):
        return False
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isascii() and c.isalpha() for c in value)
    return digits >= 2 and letters >= 2 and changes(value) >= 0.28 * len(value)


def is_chosen_secret(value: str, *, shortest: int = 4) -> bool:
    """A value that a person might have picked or been given as a password: letters with digits or with symbols."""
    value = bare(value)
    if len(value) < shortest or is_placeholder(value) or is_code(value) or _TECHNICAL.match(value):
        return False
    has_digit = any(c.isdigit() for c in value)
    has_letter = any(c.isalpha() for c in value)
    has_symbol = any(c in "!@#$%^&*~+=|\\?" for c in value[1:])
    if value.isascii():
        return has_letter and (has_digit or has_symbol)
    return sum(c.isdigit() for c in value) >= 3 and not re.search(r"\d" + r"[个位字天年月日时分秒次条种元]", value)

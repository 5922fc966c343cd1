"""All settings. In production each comes from the environment (or a file named by NAME_FILE); `manage.py run` sets them for
one machine. What must not be missing is checked in `portal/checks.py`, so that a half-configured portal does not start."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import django_stubs_ext
from django.utils.translation import gettext_lazy as _

from portal.kit.environment import Environment

django_stubs_ext.monkeypatch()  # so that generic classes of Django may be written with their types

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()

# The demo is one machine, its own people with known passwords, and scripts run as the user who started it.
DEMO = env.bool("PORTAL_DEMO", default=False)
DEBUG = env.bool("DEBUG", default=False)
TESTING = env.bool("PORTAL_TESTING", default=False)
VAR_DIR = Path(env.str("VAR", default=str(BASE_DIR / "var"))).resolve()
LOCK_DIR = VAR_DIR / "locks"

# Without one the start is stopped by a system check (portal.E001); the stand-in only lets the check speak first.
SECRET_KEY_IS_SET = bool(env.str("SECRET_KEY", default=""))
SECRET_KEY = env.str("SECRET_KEY", default="") or secrets.token_urlsafe(48)
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
BEHIND_TLS = env.bool("BEHIND_TLS", default=not (DEMO or DEBUG or TESTING))
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=31_536_000 if BEHIND_TLS else 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = False
SESSION_COOKIE_NAME = "portal_session"
CSRF_COOKIE_NAME = "portal_csrf"
SESSION_COOKIE_AGE = 14 * 24 * 3600
CSRF_FAILURE_VIEW = "portal.views.csrf_failure"

INSTALLED_APPS = [
    "portal",
    "scheduling",
    "accounting",
    "npu_inventory",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "rest_framework",
    "drf_spectacular",
    "django_filters",
    "django_htmx",
    "template_partials",
    "django_structlog",
    "django_linear_migrations",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "portal.middleware.PersonMiddleware",
    "portal.middleware.RefusalMiddleware",
]

ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
APPEND_SLASH = True

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "django.template.context_processors.tz",
                "portal.views.site_context",
            ],
            "builtins": ["portal.templatetags.kit", "django.templatetags.i18n"],
        },
    },
]

# SQLite is for one machine: its writers queue for the file (portal.kit.sqlite), transactions take the write lock at once.
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'portal.sqlite3'}")
}
_database = DATABASES["default"]
if _database["ENGINE"].endswith("sqlite3"):
    _database["ENGINE"] = "portal.kit.sqlite"
    _database["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 20}
else:
    _database["OPTIONS"] = {"pool": {"min_size": 1, "max_size": env.int("DATABASE_POOL", default=8), "timeout": 10}}
    _database["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", default="")
CACHES = {
    "default": {
        "BACKEND": "portal.kit.cache.Cache",
        "LOCATION": REDIS_URL or "redis://127.0.0.1:6379/0",
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},
    }
}
CELERY_BROKER_URL = REDIS_URL or "redis://127.0.0.1:6379/0"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False  # messages are only wake-ups: what there is to do stands in rows
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 1, "socket_timeout": 5, "max_retries": 0}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Nobody steers workers by messages; cleaning up after that, a worker that has just lost its broker would end itself.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_TASK_TIME_LIMIT = 120
CELERY_TIMEZONE = "UTC"
PASS_EVERY_SECONDS = env.int("PASS_EVERY_SECONDS", default=3)
OBSERVE_EVERY_SECONDS = env.int("OBSERVE_EVERY_SECONDS", default=1)
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat")

AUTH_USER_MODEL = "accounting.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_ADAPTER = "portal.identity.Adapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_RATE_LIMITS = {"login_failed": "10/m/ip,5/5m/key"}
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LANGUAGE_COOKIE_NAME = "portal_language"
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = USE_TZ = True
TIME_ZONE = "UTC"
# Weeks and months are cut here; people see times in their own zone.
ORGANISATION_TIME_ZONE = env.str("ORGANISATION_TIME_ZONE", default="Asia/Shanghai")
CURRENCY_SIGN = env.str("CURRENCY_SIGN", default="¥")

STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(VAR_DIR / "static")))
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "portal.kit.npm.Finder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if TESTING or DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = TESTING or DEBUG
NODE_MODULES = Path(env.str("NODE_MODULES", default=str(BASE_DIR / "node_modules")))

# Nothing inline, nothing from elsewhere. Tabler draws its check marks as data: pictures.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "font-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "manifest-src": ["'self'"],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 << 20

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["portal.identity.TokenAuthentication", "portal.identity.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["portal.kit.parsing.Json"],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "portal.kit.api.Pages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "portal.api.on_error",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "NPU Portal API",
    "DESCRIPTION": "Everything the pages do, for scripts. Amounts are NPUs, times ISO 8601 with a zone, money decimal strings.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
}

# The local backend runs scripts as the portal's own user: fine for a demo or one machine, never by accident in production.
LOCAL_BACKEND_ALLOWED = env.bool("LOCAL_BACKEND_ALLOWED", default=DEMO or TESTING)
LOGS_KEPT_DAYS = env.int("LOGS_KEPT_DAYS", default=90)
LOCAL_BACKEND_ROOT = Path(env.str("LOCAL_BACKEND_ROOT", default=str(VAR_DIR / "local")))

DEMO_PASSWORD = "npu-portal-demo"
DEMO_PEOPLE = [
    {"username": "linyue", "name": "林悦 Lin Yue", "role": _("member of NLP")},
    {"username": "chenhao", "name": "陈浩 Chen Hao", "role": _("lead of NLP")},
    {"username": "gaofei", "name": "高飞 Gao Fei", "role": _("member of Vision")},
    {"username": "heping", "name": "何平 He Ping", "role": _("member of Speech")},
    {"username": "zhukai", "name": "朱凯 Zhu Kai", "role": _("member of Recommendation")},
    {"username": "zhaomin", "name": "赵敏 Zhao Min", "role": _("operator of the centre")},
    {"username": "sunli", "name": "孙丽 Sun Li", "role": _("finance")},
]

LOG_JSON = env.bool("LOG_JSON", default=not (DEMO or DEBUG or TESTING))
LOGGING_CONFIG = "portal.logs.configure"
LOGGING: dict[str, Any] = {"level": env.str("LOG_LEVEL", default="INFO"), "json": LOG_JSON}
SILENCED_SYSTEM_CHECKS: list[str] = []

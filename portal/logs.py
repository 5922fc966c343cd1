"""Logging by structlog: one line an event, key=value for people, JSON in production. Never a secret, never a script's text."""

from __future__ import annotations

import logging.config
from typing import Any

import structlog

# Without the frames' variables: there could be a secret or a script among them.
TRACES = structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False))


def configure(options: dict[str, Any]) -> None:
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    last: list[structlog.typing.Processor] = (
        [TRACES, structlog.processors.JSONRenderer(ensure_ascii=False)]
        if options["json"]
        else [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "portal": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
                    "foreign_pre_chain": shared,
                }
            },
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "portal"}},
            "root": {"handlers": ["stderr"], "level": options["level"]},
            "loggers": {
                "django.request": {"level": "ERROR"},
                "django_structlog": {"level": "WARNING"},
                "celery.worker.strategy": {"level": "WARNING"},
                "celery.app.trace": {"level": "WARNING"},
                "celery.beat": {"level": "WARNING"},
            },
        }
    )

"""The cache in Redis, which may be away: then everything is a miss, and pages, sign-in and submissions go on.

What guards with it fails open: `add` says that it was the first, so attempts to sign in are not limited meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import structlog
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import ConnectionError as Away
from redis.exceptions import TimeoutError as Silent

AWAY_SECONDS = 1  # after a failure nobody waits for a time-out again so soon

T = TypeVar("T")
log = structlog.get_logger(__name__)
_away_until = 0.0
_said = threading.Event()


def tried(operation: Callable[..., T], *arguments: Any, missed: T) -> T:
    """What the operation gives, or `missed` while Redis is away. Said once when it goes and once when it is back."""
    global _away_until
    if time.monotonic() < _away_until:
        return missed
    try:
        found = operation(*arguments)
    except (Away, Silent, OSError) as error:
        _away_until = time.monotonic() + AWAY_SECONDS
        if not _said.is_set():
            _said.set()
            log.warning("cache.away", error=str(error))
        return missed
    if _said.is_set():
        _said.clear()
        log.info("cache.back")
    return found


class Client:
    """What Django's cache asks of its client, each with its miss."""

    def __init__(self, servers: Any, **options: Any) -> None:
        self.redis = RedisCacheClient(servers, **options)

    def add(self, key: str, value: Any, timeout: int | None) -> bool:
        return tried(self.redis.add, key, value, timeout, missed=True)

    def get(self, key: str, default: Any) -> Any:
        return tried(self.redis.get, key, default, missed=default)

    def set(self, key: str, value: Any, timeout: int | None) -> None:
        tried(self.redis.set, key, value, timeout, missed=None)

    def touch(self, key: str, timeout: int | None) -> bool:
        return tried(self.redis.touch, key, timeout, missed=False)

    def delete(self, key: str) -> bool:
        return tried(self.redis.delete, key, missed=False)

    def get_many(self, keys: Iterable[Any]) -> dict[Any, Any]:
        return tried(self.redis.get_many, keys, missed={})

    def has_key(self, key: str) -> bool:
        return tried(self.redis.has_key, key, missed=False)

    def incr(self, key: str, delta: int) -> int:
        found: int | None = tried(self.redis.incr, key, delta, missed=None)
        if found is None:
            raise ValueError(f"Key {key!r} not found.")
        return found

    def set_many(self, data: Mapping[str, Any], timeout: int | None) -> None:
        tried(self.redis.set_many, data, timeout, missed=None)

    def delete_many(self, keys: Iterable[str]) -> None:
        tried(self.redis.delete_many, keys, missed=None)

    def clear(self) -> bool:
        return tried(self.redis.clear, missed=False)


class Cache(RedisCache):
    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = Client

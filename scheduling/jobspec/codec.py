"""Frozen dataclasses as JSON and back. The way back checks everything: rows may be older than the code."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


class BadField(ValueError):
    def __init__(self, field: str, wanted: str) -> None:
        super().__init__(f"{field}: {wanted}")
        self.field = field
        self.wanted = wanted


def encode(value: object) -> dict[str, object]:
    """Of a dataclass; tuples become lists."""
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"{value!r} is no dataclass object")
    return {key: _listed(each) for key, each in asdict(value).items()}


def decode(wanted: type[T], data: object) -> T:
    found = _read(wanted, data, "")
    assert isinstance(found, wanted)
    return found


def _listed(value: object) -> object:
    if isinstance(value, dict):
        return {key: _listed(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_listed(each) for each in value]
    return value


@cache
def _hints(wanted: type) -> dict[str, Any]:
    return get_type_hints(wanted)


def _read(
    wanted: Any, value: object, path: str
) -> object:  # Any: a type form such as `int | None` has no type of its own
    origin = get_origin(wanted)
    if origin is types.UnionType:
        if value is None and type(None) in get_args(wanted):
            return None
        return _read(next(each for each in get_args(wanted) if each is not type(None)), value, path)
    if origin is tuple:
        return _read_tuple(get_args(wanted), value, path)
    if is_dataclass(wanted) and isinstance(wanted, type):
        return _read_object(wanted, value, path)
    if wanted is int and type(value) is int:
        if value < 0:
            raise BadField(path, "must not be negative")
        return value
    if wanted in (str, bool) and type(value) is wanted:
        return value
    raise BadField(path, f"{getattr(wanted, '__name__', wanted)} expected")


def _read_tuple(args: tuple[Any, ...], value: object, path: str) -> object:
    if not isinstance(value, (list, tuple)):
        raise BadField(path, "list expected")
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(_read(args[0], each, f"{path}[{place}]") for place, each in enumerate(value))
    if len(value) != len(args):
        raise BadField(path, f"list of {len(args)} expected")
    return tuple(
        _read(kind, each, f"{path}[{place}]") for place, (kind, each) in enumerate(zip(args, value, strict=True))
    )


def _read_object(wanted: type, value: object, path: str) -> object:
    if not isinstance(value, Mapping):
        raise BadField(path or "the specification", "object expected")
    dot = f"{path}." if path else ""
    known = {each.name: each for each in fields(wanted)}
    for name in value:
        if name not in known:
            raise BadField(f"{dot}{name}", "unknown field")
    for name, each in known.items():
        if name not in value and each.default is MISSING and each.default_factory is MISSING:
            raise BadField(f"{dot}{name}", "is missing")
    hints = _hints(wanted)
    return wanted(**{str(name): _read(hints[name], each, f"{dot}{name}") for name, each in value.items()})

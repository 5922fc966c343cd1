"""The files out of node_modules that the pages use, served and collected under `npm/`; nothing else of it is.

A stylesheet's source map is listed with it, since hashed names need every file that a stylesheet names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.checks import CheckMessage, Error
from django.core.files.storage import FileSystemStorage, Storage

PREFIX = "npm"
FILES = (
    "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
    "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
    "@tabler/core/dist/css/tabler.min.css",
    "@tabler/core/dist/css/tabler.min.css.map",
    "echarts/dist/echarts.min.js",
    "htmx.org/dist/htmx.min.js",
)


def folder() -> Path:
    return Path(settings.NODE_MODULES)


class Finder(BaseFinder):
    def __init__(self, app_names: Any = None, *args: Any, **kwargs: Any) -> None:
        self.storage = FileSystemStorage(location=folder())
        self.storage.prefix = PREFIX  # type: ignore[attr-defined]  # how collectstatic learns the folder to put files in
        super().__init__(*args, **kwargs)

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        missing = [name for name in FILES if not (folder() / name).is_file()]
        if not missing:
            return []
        return [
            Error(
                f"{len(missing)} files of the pages are missing in {folder()}, the first is {missing[0]}.",
                hint="Run `npm ci` in the project's folder.",
                id="portal.E020",
            )
        ]

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        name = path.removeprefix(f"{PREFIX}/")
        known = name != path and name in FILES and (folder() / name).is_file()
        found = [str(folder() / name)] if known else []
        return found[0] if found and not find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        for name in FILES:
            yield name, self.storage

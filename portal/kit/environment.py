"""Settings out of the environment, or out of a file whose path stands in NAME_FILE."""

from __future__ import annotations

import environ
from environ.fileaware_mapping import FileAwareMapping


class Values(FileAwareMapping):  # type: ignore[misc]  # environ has no types
    """Editors and `echo` end a file with a line end; it is no part of a password."""

    def __getitem__(self, name: str) -> str:
        value: str = super().__getitem__(name)
        return value.removesuffix("\n").removesuffix("\r") if self.env.get(f"{name}_FILE") else value


class Environment(environ.FileAwareEnv):  # type: ignore[misc]  # environ has no types
    ENVIRON = Values()

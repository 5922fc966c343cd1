"""python -m tests.services suite            everything (`make test`)
python -m tests.services lint             style, imports, templates (`make lint`)
python -m tests.services run -- COMMAND   any command with a PostgreSQL and a Redis of its own,
                                          e.g. run -- .venv/bin/python -m pytest tests/accounting
"""

from __future__ import annotations

import subprocess
import sys

from tests.services import suite
from tests.services.process import ServiceFailed


def main(words: list[str]) -> int:
    match words:
        case ["suite"]:
            return suite.run_suite()
        case ["lint"]:
            return suite.run_lint()
        case ["run", "--", *command] if command:
            with suite.services() as environment:
                return subprocess.run(command, env=environment, check=False).returncode
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        code = 130
    except ServiceFailed as error:
        print(error, file=sys.stderr)
        code = 2
    sys.exit(code)

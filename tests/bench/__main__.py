"""python -m tests.bench: on SQLite, and on PostgreSQL where its programs are installed."""

from __future__ import annotations

import logging
import os
import subprocess
import sys

from tests.services import postgres, suite

HEAD = f"{'':<58}     min   median      max"


def main(words: list[str]) -> int:
    if words == ["rows"]:
        rows()
        return 0
    from tests.bench import starting

    print(HEAD)
    starting.run()
    print("\nSQLite")
    code = subprocess.run([sys.executable, "-m", "tests.bench", "rows"], check=False).returncode
    if not postgres.installed():
        print("\nPostgreSQL is not installed here (sudo apt-get install postgresql): not measured")
        return code
    print("\nPostgreSQL", flush=True)
    with suite.services() as environment:
        done = subprocess.run([sys.executable, "-m", "tests.bench", "rows"], env=environment, check=False)
    return code or done.returncode


def rows() -> None:
    """In a database of the tests' kind, each world in a transaction that is undone."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    logging.disable(logging.CRITICAL)
    from django.db import connection, transaction
    from django.test.utils import setup_test_environment, teardown_test_environment

    from tests.bench import pages, passes, submitting, worlds

    setup_test_environment()
    name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        for waiting, running in ((140, 60), (9_800, 200)):
            with transaction.atomic():
                world = worlds.busy(waiting=waiting, running=running)
                pages.run(world, jobs=waiting + running)
                transaction.set_rollback(True)
        with transaction.atomic():
            world = worlds.busy(waiting=200, running=60)
            passes.run(waiting=200, running=60)
            submitting.run(world)
            transaction.set_rollback(True)
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)
        teardown_test_environment()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

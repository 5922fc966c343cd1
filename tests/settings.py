"""The portal's own settings, told by the environment that this is a test; what tests start as processes inherits it."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from tests.services.valkey import Valkey

os.environ["PORTAL_TESTING"] = "1"
os.environ.setdefault("SECRET_KEY", "a key for tests only, long enough for the system check")
if "PORTAL_TEST_FOLDER" not in os.environ:
    folder = tempfile.mkdtemp(prefix="portal-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["PORTAL_TEST_FOLDER"] = folder

# Each of xdist's processes has a folder (the locks are in it) and a number in Redis of its own.
worker = os.environ.get("PYTEST_XDIST_WORKER", "")
os.environ["VAR"] = str(Path(os.environ["PORTAL_TEST_FOLDER"], worker or "main"))
Path(os.environ["VAR"]).mkdir(exist_ok=True)
if "REDIS_URL" not in os.environ:
    broker = Valkey(Path(os.environ["PORTAL_TEST_FOLDER"], "valkey"))
    broker.start()
    atexit.register(broker.stop)
    os.environ["REDIS_URL"] = broker.url
if worker:
    os.environ["REDIS_URL"] = f"{os.environ['REDIS_URL'].rpartition('/')[0]}/{int(worker.removeprefix('gw')) + 1}"

from portal.settings import *  # noqa: E402, F403  after the environment is set

# World after world of people is made: their passwords need no slow hash here.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

if DATABASES["default"]["ENGINE"] == "portal.kit.sqlite":  # noqa: F405
    # A file as in the demo, so that tests meet the queue of its writers and other processes can look into it.
    DATABASES["default"]["TEST"] = {"NAME": f"{os.environ['VAR']}/test.sqlite3"}  # noqa: F405

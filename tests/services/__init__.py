"""Real PostgreSQL and Redis for tests, each in a folder and on a port of its own. `python -m tests.services --help`."""

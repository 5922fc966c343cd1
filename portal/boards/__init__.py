"""Reads for the pages that join apps: each returns plain dataclasses, with a number of queries that rows do not change."""

"""The hub: an organisation's lessons in its own PostgreSQL. Only this package imports psycopg, and only when it is asked to.

Most of the hub is SQL: see ``migrations``.
"""

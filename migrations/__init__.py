"""Alembic's environment and the migrations, shipped as data. See docs/database.md."""

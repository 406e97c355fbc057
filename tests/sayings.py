"""What people say in the tests: statements so plain that every detector proposes them."""

from __future__ import annotations

UV = "no, always use `uv run pytest` in this repository, never bare pytest"
VENDOR = "no, we never edit vendor/ by hand, always change `sync.toml` instead, the nightly sync overwrites it"
DIST = "no, we never commit generated files in `dist/`, always let the release job build them"
DEPLOY = "no, always use a pull request in this repository, never push to `main` on a friday"

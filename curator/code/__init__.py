"""Questions to source code: which symbols a file defines, and fingerprints of them that ignore comments and layout."""

from __future__ import annotations

from curator.code.languages import LANGUAGES, Language, language_of
from curator.code.symbols import Symbol, Unreadable, outline, symbols, whole

__all__ = ["LANGUAGES", "Language", "Symbol", "Unreadable", "language_of", "outline", "symbols", "whole"]

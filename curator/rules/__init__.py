"""What people wrote down for agents → rules: which files those are, and which of their lines state one.

``files`` finds them and says for which folders they hold, ``markdown`` cuts a text into items and paragraphs, ``statements``
keeps what states a rule. The result is proposed like anything else: only a person confirms a lesson.
"""

from __future__ import annotations

from curator.rules.files import RulesFile, find
from curator.rules.statements import Rule, passed_over, read

__all__ = ["Rule", "RulesFile", "find", "passed_over", "read"]

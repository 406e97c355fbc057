"""The records of Claude Code that hold no turn; those of types that stand neither here nor there are counted as unknown."""

from __future__ import annotations

SKIPPED = (
    b'"type":"progress"',
    b'"type":"file-history-snapshot"',
    b'"type":"file-history-delta"',
    b'"type":"last-prompt"',
    b'"type":"permission-mode"',
    b'"type":"api-request',
)
"""Frequent records that say nothing we read: half of all lines in some versions."""

# fmt: off
IGNORED = frozenset((
    "progress", "file-history-snapshot", "file-history-delta", "last-prompt", "permission-mode", "mode", "summary",
    "ai-title", "custom-title", "pr-link", "frame-link", "bridge-session", "agent-name", "agent-color",
    "agent-setting", "tag", "worktree-state", "content-replacement", "result", "stream_event", "rate_limit_event",
    "saved_hook_context", "started",
    "api-request", "api-request-blob", "api-request-resumed", "api-request-shape", "artifact-autoreact-ledger",
    "artifact-comment-monitor", "atis-latch", "attribution-snapshot", "continued-in", "cost-state", "data-flow-incomplete",
    "data-flow-records", "derived-from", "dev-mods", "ended-by-model", "fork-context-ref", "history-suppression", "host-row",
    "hybrid-organization", "isolation-latch", "memory-mode", "observer-ref", "relocated", "repl-mode", "resume-head-vouch",
    "session-owner", "tools-used",
))
# fmt: on
"""Up to version 2.1.330: titles and states that the client keeps for itself, and what it sent to the model, in pieces."""

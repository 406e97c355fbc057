"""The texts that an agent's own program files as a person's: reports of background tasks, echoes of commands, instructions.

The readers of transcripts and the hooks both use it. It imports nothing, since hooks must be fast.
"""

from __future__ import annotations

INJECTED_TAGS = (
    "ADDITIONAL_METADATA",
    "SYSTEM_MESSAGE",
    "USER_SETTINGS_CHANGE",
    "background_output",
    "bash-stderr",
    "bash-stdout",
    "ci-monitor-event",
    "codex_delegation",
    "collaboration_mode",
    "command-name",
    "command-message",
    "command-args",
    "github-webhook-activity",
    "hook_prompt",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "permissions instructions",
    "plugins_instructions",
    "skill",
    "skills_instructions",
    "state_snapshot",
    "subagent_notification",
    "subagent_reminder",
    "task-notification",
    "task_notification",
    "teammate-message",
    "turn_aborted",
    "user_action",
    "user_information",
    "user_shell_command",
)
"""Elements in place of a person's words. The text after them is the agent's as well."""

INJECTED_OPENINGS = (
    "# AGENTS.md instructions for",
    "## Code review guidelines:",
    "<execution_context>",
    "<objective>",
    "A previously backgrounded execution has completed.",
    "Another Claude session sent a message:",
    "Base directory for this skill:",
    "Caveat: The messages below",
    "Here is the user's editor context",
    "Here is a summary of changes in the user's editor context",
    "I ran the following shell command:\n```",
    "Operation stopped by hook:",
    "Stop hook feedback:",
    "SubagentStop hook feedback:",
    "TaskCompleted hook feedback:",
    "TeammateIdle hook feedback:",
    "The following is a <SYSTEM_MESSAGE>",
    "This session is being continued from a previous conversation",
    "UserPromptSubmit hook",
    "UserPromptSubmit operation blocked by hook",
    "[Message] timestamp=",
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
)
"""Openings after which the whole text is the agent's."""


def is_injected(text: str) -> bool:
    """Return whether a text, stripped, is the harness's altogether.

    >>> is_injected("<task-notification>done</task-notification>"), is_injected("<task-notifications are late"), is_injected("")
    (True, False, False)
    """
    return text.startswith(INJECTED_OPENINGS) or (text.startswith("<") and any(opens(text, tag) for tag in INJECTED_TAGS))


def opens(text: str, tag: str) -> bool:
    """Return whether a text that begins with ``<`` begins with an element of this name."""
    return text.startswith(tag, 1) and text[len(tag) + 1 : len(tag) + 2] in ("", ">", " ", "\n", "/")

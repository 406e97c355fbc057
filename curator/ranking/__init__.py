"""The choice of lessons that matter now: question and rows in, ranked hits with their reasons out.

On the path of hooks: the standard library's smallest parts only, and plain classes.
"""

READS = {
    "claude-code": ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/"),
    "codex": ("AGENTS.md",),
    "qwen": ("QWEN.md", "AGENTS.md"),
    "copilot-cli": ("AGENTS.md", ".github/copilot-instructions.md", ".github/instructions/"),
    "vscode-copilot": ("AGENTS.md", ".github/copilot-instructions.md", ".github/instructions/"),
    "opencode": ("AGENTS.md",),
    "gemini": ("GEMINI.md",),
    "cursor": ("AGENTS.md", ".cursorrules", ".cursor/rules/"),
    "cline": ("AGENTS.md", ".clinerules", ".clinerules/"),
}
"""Agent → the files of a project that it reads by itself, and the folders, by how their names begin."""

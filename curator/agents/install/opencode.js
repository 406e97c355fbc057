// Written by `curator install opencode`; `curator uninstall opencode` removes it.
// Hands what happens to `curator hook opencode EVENT` and adds what it answers. Whatever fails, the session goes on.
import { spawn } from "node:child_process"

const PROGRAM = ["curator"]
const FILE_TOOLS = new Set(["read", "edit", "write", "patch", "apply_patch", "multiedit"])
const MILLISECONDS = 5000

function ask(event, payload, cwd) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), "hook", "opencode", event], {
        cwd,
        stdio: ["pipe", "pipe", "ignore"],
      })
      let answer = ""
      const late = setTimeout(() => child.kill(), MILLISECONDS)
      child.stdout.on("data", (chunk) => (answer += chunk))
      child.stdin.on("error", () => {})
      child.on("error", () => (clearTimeout(late), resolve("")))
      child.on("close", () => {
        clearTimeout(late)
        try {
          resolve(JSON.parse(answer).hookSpecificOutput?.additionalContext ?? "")
        } catch {
          resolve("")
        }
      })
      child.stdin.end(JSON.stringify({ hook_event_name: event, cwd, ...payload }))
    } catch {
      resolve("")
    }
  })
}

export const Curator = async ({ directory }) => {
  const greeted = new Map()
  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID
      if (event.type === "session.compacted") greeted.set(session, "compact")
      if (event.type === "session.idle") await ask("Stop", { session_id: session }, directory)
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID
      const prompt = output.parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join("\n")
      const texts = []
      if (greeted.get(session) !== "") {
        texts.push(await ask("SessionStart", { session_id: session, source: greeted.get(session) ?? "startup" }, directory))
        greeted.set(session, "")
      }
      texts.push(await ask("UserPromptSubmit", { session_id: session, prompt }, directory))
      for (const text of texts.filter(Boolean)) {
        const id = `prt_curator${Date.now()}${Math.random().toString(36).slice(2, 8)}`
        output.parts.push({ id, sessionID: session, messageID: output.message.id, type: "text", text, synthetic: true })
      }
    },
    "tool.execute.after": async (input, output) => {
      if (!FILE_TOOLS.has(input.tool) || typeof output.output !== "string") return
      const payload = { session_id: input.sessionID, tool_use_id: input.callID, tool_name: input.tool, tool_input: input.args ?? {} }
      const text = await ask("PostToolUse", payload, directory)
      if (text) output.output += `\n\n${text}`
    },
  }
}

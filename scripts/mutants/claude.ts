/** Guards of the talk with processes, and of Claude Code. */
import type { Mutant } from "./mutant.ts";

const EXECUTOR = ["test/contract/effects.test.ts"];
const TALK = ["src/adapters/agents/claude/conversation.test.ts"];
const TOOLS = ["src/adapters/agents/claude/tools.test.ts"];
const OUTCOME = ["src/adapters/agents/claude/outcome.test.ts"];
const TAKE_UP = ["src/adapters/agents/claude/take-up.test.ts"];
const PUT_OFF = ["src/adapters/agents/claude/put-off.test.ts"];
const LAUNCH = ["src/adapters/agents/claude/launch.test.ts"];

export const CLAUDE_MUTANTS: readonly Mutant[] = [
  {
    name: "a line of Claude Code that is nested beyond reason is believed",
    file: "src/adapters/agents/claude/lines.ts",
    find: "const value = readJson(line);",
    replace: "const value: unknown = JSON.parse(line);",
    tests: ["src/adapters/agents/claude/lines.test.ts"],
  },
  {
    name: "output is read faster than it is taken",
    file: "src/adapters/process/output/talk.ts",
    find: "    output.pause();",
    replace: "",
    tests: EXECUTOR,
  },
  {
    name: "output is handed over before the last of it was taken",
    file: "src/adapters/process/output/talk.ts",
    find: "    isBusy = true;",
    replace: "",
    tests: EXECUTOR,
  },
  {
    name: "Claude Code gets its task without having taken the hook",
    file: "src/adapters/agents/claude/conversation.ts",
    find: "if (!hasTakenHook(response)) {",
    replace: "if (response === null) {",
    tests: TALK,
  },
  {
    name: "a hook that fails lets the call through",
    file: "src/adapters/agents/claude/conversation.ts",
    find: 'onFailure: "block"',
    replace: 'onFailure: "continue"',
    tests: TALK,
  },
  {
    name: "what happened without being allowed is passed over",
    file: "src/adapters/agents/claude/conversation.ts",
    find: "event.ok && !gate.hasAllowed(event.id)",
    replace: "!event.ok && !gate.hasAllowed(event.id)",
    tests: TALK,
  },
  {
    name: "a call that was allowed is permitted with another input",
    file: "src/adapters/agents/claude/gate.ts",
    find: "=== whatOf(tool, input))",
    replace: "!== undefined)",
    tests: TALK,
  },
  {
    name: "a call is asked about twice",
    file: "src/adapters/agents/claude/gate.ts",
    find: "if (known?.what === what) return known.ruling;",
    replace: "if (known === null) return known;",
    tests: TALK,
  },
  {
    name: "links lead past the rules",
    file: "src/adapters/agents/claude/places.ts",
    find: "[...new Set([named, reached])]",
    replace: "[reached === '' ? reached : named]",
    tests: TOOLS,
  },
  {
    name: "a pattern of names begins wherever it likes",
    file: "src/adapters/agents/claude/tools.ts",
    find: "return [...search(call, workspace), ...search({ ...call, input: { path } }, workspace)];",
    replace: "return path === '' ? [] : search(call, workspace);",
    tests: TOOLS,
  },
  {
    name: "an end without an error is a good end",
    file: "src/adapters/agents/claude/outcome.ts",
    find: 'result["is_error"] === false && reason === "completed"',
    replace: 'result["is_error"] === false',
    tests: OUTCOME,
  },
  {
    name: "the exit code tells how it ended",
    file: "src/adapters/agents/claude/outcome.ts",
    find: "if (result === null) return lost(report);",
    replace: 'if (result === null) return report.exit === 0 ? { kind: "completed" } : lost(report);',
    tests: OUTCOME,
  },
  {
    name: "a call that was put off passes when it was denied",
    file: "src/adapters/agents/claude/put-off.ts",
    find: 'case "$call" in *"$(cat $gate/id)"*)',
    replace: 'case "$call" in *"$(cat $gate/none)"x*)',
    tests: PUT_OFF,
  },
  {
    name: "anything passes before the gate is open",
    file: "src/adapters/agents/claude/put-off.ts",
    find: "[ -e $gate/open ] && exit 0",
    replace: "[ -e $gate/id ] && exit 0",
    tests: PUT_OFF,
  },
  {
    name: "what is missing lets every call pass",
    file: "src/adapters/agents/claude/put-off.ts",
    find: "[ -s $gate/id ] && [ -s $gate/allowed ] || exit 2",
    replace: "true",
    tests: PUT_OFF,
  },
  {
    name: "a session that goes on passes calls before it has taken the hook",
    file: "src/adapters/agents/claude/claude-agent.ts",
    find: "return talk(options, life, await layGate(task.home, null, false));",
    replace: "return talk(options, life, null);",
    tests: TAKE_UP,
  },
  {
    name: "a put-off call that cannot be read is none",
    file: "src/adapters/agents/claude/claude-agent.ts",
    find: 'catch(() => "torn" as const)',
    replace: "catch(() => null)",
    tests: TAKE_UP,
  },
  {
    name: "a put-off call is forgotten when the program is lost",
    file: "src/adapters/agents/claude/claude-agent.ts",
    find: "gate.deferred() ?? (result === null ? (ahead?.call ?? null) : null)",
    replace: 'outcome.kind === "deferred" ? outcome.call : null',
    tests: TAKE_UP,
  },
  {
    name: "the settings of a repository are read",
    file: "src/adapters/agents/claude/launch.ts",
    find: '"--setting-sources=", ',
    replace: "",
    tests: LAUNCH,
  },
  {
    name: "a name in the task makes it read the file",
    file: "src/adapters/agents/claude/launch.ts",
    find: '  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",\n',
    replace: "",
    tests: LAUNCH,
  },
];

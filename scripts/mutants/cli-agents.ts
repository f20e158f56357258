/** Guards around agent programs: what they are asked about, what of them counts, and what of a repository they see. */
import type { Mutant } from "./mutant.ts";

const CLI = "src/adapters/agents/cli";
const HOME = ["src/adapters/agents/cli/home.test.ts"];
const HEARING = ["src/adapters/agents/cli/hearing.test.ts"];
const ACP = ["src/adapters/agents/acp/tool-call.test.ts", "src/adapters/agents/acp/outcome.test.ts"];
const ACP_LIFE = ["test/contract/acp-agent.test.ts"];
const HEED = ["src/adapters/agents/cli/heed-models.test.ts"];
const CODEX = ["src/adapters/agents/codex/items.test.ts"];
const CODEX_LIFE = ["test/contract/codex-agent.test.ts"];

export const CLI_AGENT_MUTANTS: readonly Mutant[] = [
  {
    name: "calls that never end are all remembered",
    file: `${CLI}/recent.ts`,
    find: "if (known.size > most && oldest !== undefined)",
    replace: "if (known.size > most && oldest === undefined)",
    tests: [`${CLI}/recent.test.ts`],
  },
  {
    name: "an agent whose calls get no answer tries on",
    file: `${CLI}/heed-models.ts`,
    find: "      if (callsModels)\n",
    replace: "      if (callsModels && task.round < 0)\n",
    tests: HEED,
  },
  {
    name: "an agent that got no answer at all is done",
    file: `${CLI}/heed-models.ts`,
    find: "callsModels && last?.isAll === true",
    replace: "callsModels && last?.error === ''",
    tests: HEED,
  },
  {
    name: "what an agent says of a refusal counts more than what the gateway saw",
    file: `${CLI}/heed-models.ts`,
    find: 'return last === null || last.why === "provider" ?',
    replace: 'return last === null || last.why !== "budget" ?',
    tests: HEED,
  },
  {
    name: "what an agent left for itself in its home counts",
    file: `${CLI}/home.ts`,
    find: "else await rm(path, { recursive: true, force: true });",
    replace: "else if (rest.length > 0) await rm(path, { recursive: true, force: true });",
    tests: HOME,
  },
  {
    name: "a link that an agent left in its home is followed",
    file: `${CLI}/home.ts`,
    find: "return entry.isDirectory() || entry.isFile();",
    replace: "return entry.name !== '';",
    tests: HOME,
  },
  {
    name: "settings can be changed by the agent",
    file: `${CLI}/home.ts`,
    find: 'mounts.push({ from, to: posix.join(BEHIND.home, path), access: "read" });',
    replace: 'mounts.push({ from, to: posix.join(BEHIND.home, path), access: "write" });',
    tests: HOME,
  },
  {
    name: "plugins of a repository above the working folder are seen",
    file: `${CLI}/hidden.ts`,
    find: "return [BEHIND.workspace, ...parts.map(",
    replace: "return [...parts.map(",
    tests: ["src/adapters/agents/cli/hidden.test.ts"],
  },
  {
    name: "a call happens although it was deferred",
    file: `${CLI}/hearing.ts`,
    find: 'if (verdict !== null) return { answer: "deny", why: "it is being ended" };',
    replace: "",
    tests: HEARING,
  },
  {
    name: "a call that was allowed too late happens",
    file: `${CLI}/hearing.ts`,
    find: 'return ruling.answer === "allow" && verdict !== null ? "deny" : ruling.answer;',
    replace: "return ruling.answer;",
    tests: HEARING,
  },
  {
    name: "turns of an agent have no end",
    file: `${CLI}/hearing.ts`,
    find: "announced.size > task.maxTurns",
    replace: "announced.size < 0",
    tests: HEARING,
  },
  {
    name: "a process that ends without a last word has completed",
    file: `${CLI}/converse.ts`,
    find: 'return lost(error ?? "it ended without a last word");',
    replace: 'return error === "" ? lost("") : { kind: "completed" };',
    tests: ["src/adapters/agents/cli/converse.test.ts"],
  },
  {
    name: "an agent is started without a wall",
    file: `${CLI}/run-cli.ts`,
    find: 'if (task.process.wall.sandbox === "danger_full_access") return refused("it works only behind a wall");',
    replace: "",
    tests: ACP_LIFE,
  },
  {
    name: "an agent that gave up after a denial has completed",
    file: "src/adapters/agents/acp/outcome.ts",
    find: 'return denied === null ? { kind: "completed" } : { kind: "denied", error: denied };',
    replace: 'return { kind: "completed" };',
    tests: ACP,
  },
  {
    name: "a change of an unknown file needs no rule",
    file: "src/adapters/agents/acp/tool-call.ts",
    find: "if (paths.length === 0) return [{ kind, path: null }];",
    replace: "if (paths.length === 0) return [];",
    tests: ACP,
  },
  {
    name: "an unknown command needs no rule",
    file: "src/adapters/agents/acp/tool-call.ts",
    find: 'if (!Array.isArray(given)) return { kind: "run", argv: [null] };',
    replace: 'if (!Array.isArray(given)) return { kind: "tool", tool: "execute", args: {} };',
    tests: ACP,
  },
  {
    name: "a call that is denied is allowed over ACP",
    file: "src/adapters/agents/acp/speaker.ts",
    find: 'answer === "allow" ? "allow_once" : "reject_once"',
    replace: 'answer === "defer" ? "reject_once" : "allow_once"',
    tests: ACP_LIFE,
  },
  {
    name: "a file that a patch is moved to is not asked about",
    file: "src/adapters/agents/codex/items.ts",
    find: 'return [change["path"], moved].flatMap(',
    replace: 'return [change["path"]].flatMap(',
    tests: CODEX,
  },
  {
    name: "what is typed into a running command passes as that command",
    file: "src/adapters/agents/codex/items.ts",
    find: 'kind === undefined || kind === "command" ? textIn(command) : ""',
    replace: "textIn(command)",
    tests: CODEX,
  },
  {
    name: "a call that is denied is accepted by Codex",
    file: "src/adapters/agents/codex/speaker.ts",
    find: 'answer === "allow" ? "accept" : answer === "deny" ? "decline" : "cancel"',
    replace: 'answer === "defer" ? "cancel" : "accept"',
    tests: CODEX_LIFE,
  },
  {
    name: "Codex trusts the repository",
    file: "src/adapters/agents/codex/settings.ts",
    find: 'trust_level = "untrusted"',
    replace: 'trust_level = "trusted"',
    tests: ["src/adapters/agents/codex/settings.test.ts"],
  },
];

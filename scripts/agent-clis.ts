/**
 * The agent programs that the lane of real agents runs: which, where, and how they get there. They are large, some are not
 * free, and none is a dependency: they live in a folder of the user, and are installed only when somebody asks.
 *
 *   tsx scripts/agent-clis.ts            what is there
 *   tsx scripts/agent-clis.ts install    all of them (some 1.5 GB); or those that are named
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";

export type AgentName = "claude" | "codex" | "gemini" | "opencode" | "grok";

export interface AgentProgram {
  readonly name: AgentName;
  readonly title: string;
  readonly pkg: string;
  readonly version: string;
  /** Below node_modules; a `.js` file is run by Node. */
  readonly program: string;
  readonly megabytes: number;
}

const SYSTEM = `${process.platform}-${process.arch}`;
const RUST_TARGET = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-musl`;

/** Versions that the recipes of test/support/agents were tried with. */
export const AGENT_PROGRAMS: readonly AgentProgram[] = [
  {
    name: "claude",
    title: "Claude Code",
    pkg: "@anthropic-ai/claude-code",
    version: "2.1.325",
    program: `@anthropic-ai/claude-code-${SYSTEM}/claude`,
    megabytes: 350,
  },
  {
    name: "codex",
    title: "Codex",
    pkg: "@openai/codex",
    version: "0.166.0",
    program: `@openai/codex-${SYSTEM}/vendor/${RUST_TARGET}/bin/codex`,
    megabytes: 436,
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    pkg: "@google/gemini-cli",
    version: "0.61.0",
    program: "@google/gemini-cli/bundle/gemini.js",
    megabytes: 100,
  },
  {
    name: "opencode",
    title: "opencode",
    pkg: "opencode-ai",
    version: "1.18.33",
    program: `opencode-${SYSTEM}/bin/opencode`,
    megabytes: 354,
  },
  {
    name: "grok",
    title: "Grok Build",
    pkg: "@xai-official/grok",
    version: "1.0.41",
    program: `@xai-official/grok-${SYSTEM}/bin/grok`,
    megabytes: 206,
  },
];

export function agentsFolder(): string {
  return (
    process.env["PAWL_AGENT_CLIS"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "pawl-agents")
  );
}

function folderOf({ name, version }: AgentProgram): string {
  return join(agentsFolder(), `${name}-${version}`);
}

/** The program, or null when it is not installed. */
export function findAgent(agent: AgentProgram): string | null {
  const path = join(folderOf(agent), "node_modules", agent.program);
  return existsSync(path) ? realpathSync(path) : null;
}

/** Installs it beside its place and then moves it there: what is there is whole. */
export function installAgent(agent: AgentProgram): string {
  const found = findAgent(agent);
  if (found !== null) return found;
  const folder = folderOf(agent);
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, "package.json"), '{ "private": true }\n');
  const args = [
    "install",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--save-exact",
    `${agent.pkg}@${agent.version}`,
  ];
  const { status, stderr } = spawnSync("npm", args, {
    cwd: draft,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(`npm could not install ${agent.pkg}@${agent.version}: ${stderr.slice(-2000)}`);
  }
  unpack(join(draft, "node_modules", agent.program));
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  const installed = findAgent(agent);
  if (installed === null) throw new Error(`${agent.pkg}@${agent.version} has no ${agent.program}`);
  return installed;
}

/** One of them comes compressed, and would unpack itself into the home of whoever runs it. */
function unpack(program: string): void {
  const packed = `${program}.br`;
  if (!existsSync(packed)) return;
  writeFileSync(program, brotliDecompressSync(readFileSync(packed)), { mode: 0o755 });
  rmSync(packed);
}

function main([verb, ...names]: readonly string[]): void {
  const chosen = AGENT_PROGRAMS.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const agent of chosen) {
    const what = `${agent.title} ${agent.version}`;
    if (verb === "install") {
      console.log(`${what}: about ${agent.megabytes} MB …`);
      console.log(`${what}: ${installAgent(agent)}`);
    } else console.log(`${what}: ${findAgent(agent) ?? "not installed"}`);
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2));
}

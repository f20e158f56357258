/** What the readiness of a project is counted from. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { dateOf } from "../../blueprint/dialects/loop-engineering/written-dates.ts";
import type { ReadinessFacts } from "../../loops/audit/readiness.ts";
import { readRuleText } from "../policy/read-policy-text.ts";
import type { LoopProject } from "./loop-project.ts";

const SKILL_FOLDERS = ["skills", ".claude/skills", ".codex/skills", ".grok/skills", ".opencode/skills"] as const;
const AGENT_FOLDERS = [".claude/agents", ".codex/agents"] as const;
const CONVENTIONS = ["AGENTS.md", "CLAUDE.md"] as const;
const SAFETY = ["safety.md", "docs/safety.md", "SECURITY.md"] as const;
const CONNECTORS = [".mcp.json", "mcp.json", ".mcp/config.json"] as const;
const MOST_NAMES = 500;

export async function readinessFacts(
  root: string,
  now: number,
  loops: LoopProject,
): Promise<Omit<ReadinessFacts, "drills">> {
  const text = loops.loopFile?.text ?? "";
  const [skills, agents, conventions, safety, connectors, github, workflows] = await Promise.all([
    skillsOf(root),
    verifierAgents(root),
    firstWithText(root, CONVENTIONS),
    firstWithText(root, SAFETY),
    firstWithText(root, CONNECTORS),
    namesIn(root, ".github"),
    namesIn(root, ".github/workflows"),
  ]);
  return {
    now,
    stateFiles: Object.entries(loops.states).flatMap(([name, { sections }]) =>
      sections.some(({ role }) => role !== "other") ? [name] : [],
    ),
    skills,
    verifiers: [...skills.filter((skill) => skill.includes("verifier")), ...agents],
    loops: loops.loopFile?.file.loops.length ?? 0,
    speaks: {
      gates: /gate|denylist|auto-merge/i.test(text),
      budget: /budget|max tokens|token cap|kill switch|loop-pause-all/i.test(text),
      worktrees: /worktree/i.test(text),
      connectors: /\bMCP\b|connectors/i.test(text),
    },
    ...{ conventions, safety, connectors },
    hasGithub: github.length > 0,
    workflows: workflows.filter((name) => /\.ya?ml$/.test(name)).length,
    patterns: loops.patterns?.length ?? 0,
    limits: loops.limits.length,
    logged: loops.log?.entries.length ?? 0,
    lastActivity: lastActivity(now, loops),
  };
}

/** A time that is still to come says nothing. */
function lastActivity(now: number, { states, log }: LoopProject): number | null {
  const times = [
    ...Object.values(states).map(({ lastRun }) => lastRun),
    ...(log?.entries ?? []).map(({ runId }) => dateOf(runId)),
  ].filter((at): at is number => at !== null && at <= now);
  return times.length === 0 ? null : times.reduce((newest, at) => Math.max(newest, at));
}

async function namesIn(root: string, folder: string): Promise<readonly string[]> {
  return (await readdir(join(root, folder)).catch(() => [])).sort().slice(0, MOST_NAMES);
}

async function hasText(root: string, file: string): Promise<boolean> {
  const read = await readRuleText({ path: join(root, file), shown: file, isRequired: false });
  return "text" in read && read.text !== null && read.text.trim() !== "";
}

async function firstWithText(root: string, files: readonly string[]): Promise<string | null> {
  for (const file of files) if (await hasText(root, file)) return file;
  return null;
}

async function skillsOf(root: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const folder of SKILL_FOLDERS)
    for (const name of await namesIn(root, folder))
      if (!found.has(name) && (await hasText(root, `${folder}/${name}/SKILL.md`))) found.add(name);
  return [...found];
}

async function verifierAgents(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of AGENT_FOLDERS)
    for (const name of await namesIn(root, folder))
      if (/verifier[^/]*\.(?:md|toml)$/.test(name) && (await hasText(root, `${folder}/${name}`)))
        found.push(`${folder}/${name}`);
  return found;
}

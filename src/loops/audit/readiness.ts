/**
 * How ready a project is for loops: the score of loop-engineering's audit, with its weights. A file that is merely there
 * counts for nothing: it must say what such a file is for. A level needs its score and its proofs.
 */
import type { Level } from "../../blueprint/blueprint.ts";
import type { DrillRecord } from "../../ports/store/evidence.ts";
import { READINESS } from "../earned-level.ts";

export interface ReadinessFacts {
  readonly now: number;
  /** State files with at least one section that loops know. */
  readonly stateFiles: readonly string[];
  /** Skills with a text, by name. */
  readonly skills: readonly string[];
  /** Skills and agents that check what others made. */
  readonly verifiers: readonly string[];
  /** Loops that LOOP.md names. */
  readonly loops: number;
  /** What LOOP.md speaks of. */
  readonly speaks: Readonly<Record<"gates" | "budget" | "worktrees" | "connectors", boolean>>;
  /** Files with a text; null: there is none. */
  readonly conventions: string | null;
  readonly safety: string | null;
  readonly connectors: string | null;
  readonly hasGithub: boolean;
  readonly workflows: number;
  readonly patterns: number;
  readonly limits: number;
  readonly logged: number;
  /** When a loop ran last, as far as state files and the run log say. */
  readonly lastActivity: number | null;
  /** The newest drill of each loop; null: it was never drilled. */
  readonly drills: readonly (DrillRecord | null)[];
}

export interface Point {
  readonly name: string;
  readonly points: number;
  readonly most: number;
  /** Why so many. */
  readonly why: string;
}

export interface Lacking {
  readonly level: Level;
  readonly what: string;
}

export interface Readiness {
  /** 0 to 100. */
  readonly score: number;
  readonly level: Level;
  readonly points: readonly Point[];
  /** What each higher level needs. */
  readonly lacking: readonly Lacking[];
}

const MOST = 100;
const DAY_MS = 86_400_000;
const FRESH_MS = 30 * DAY_MS;
const TRIAGE: ReadonlySet<string> = new Set([
  ...["loop-triage", "pr-review-triage", "ci-triage", "dependency-triage", "post-merge-scan", "changelog-scan"],
  ...["issue-triage", "issue-pr-repair"],
]);
const OTHERS = ["minimal-fix", "loop-verifier", "rebase-and-clean", "draft-release-notes", "loop-guard"];
const LOOP_SKILLS: ReadonlySet<string> = new Set([...TRIAGE, ...OTHERS]);
const BUDGET_SKILL = "loop-budget";

export function readinessOf(facts: ReadinessFacts): Readiness {
  const points = [...filePoints(facts), ...skillPoints(facts), ...costPoints(facts)];
  const score = Math.min(
    MOST,
    points.reduce((sum, each) => sum + each.points, 0),
  );
  const lacking = (["L1", "L2", "L3"] as const).flatMap((level) =>
    [
      ...(score < READINESS[level] ? [`a score of ${READINESS[level]}; it is ${score}`] : []),
      ...proofs(level, facts),
    ].map((what) => ({ level, what })),
  );
  const level = (["L3", "L2", "L1"] as const).find((each) => !lacking.some((one) => one.level <= each)) ?? "L0";
  return { score, level, points, lacking };
}

/** What a score alone cannot show. */
function proofs(level: keyof typeof READINESS, facts: ReadinessFacts): readonly string[] {
  if (level === "L1") return facts.stateFiles.length > 0 ? [] : ["a state file"];
  if (level === "L2") return triageOf(facts).length > 0 ? [] : ["a skill for triage"];
  return [
    ...(facts.verifiers.length > 0 ? [] : ["a verifier that is not the maker"]),
    ...(facts.limits > 0 && facts.logged > 0 && facts.speaks.budget
      ? []
      : ["costs that can be seen: limits in loop-budget.md, entries in loop-run-log.md, a budget in LOOP.md"]),
    ...(isActive(facts) ? [] : ["a loop that has run within 30 days"]),
    ...(isProven(facts)
      ? []
      : ["a drill of every loop within 30 days that caught every defect and passed every harmless change"]),
  ];
}

function isActive({ lastActivity, now }: ReadinessFacts): boolean {
  return lastActivity !== null && lastActivity <= now && now - lastActivity <= FRESH_MS;
}

function isProven({ drills, now }: ReadinessFacts): boolean {
  const isGood = ({ planted, caught, harmless, passed, at }: DrillRecord): boolean =>
    planted > 0 && caught === planted && harmless > 0 && passed === harmless && at <= now && now - at <= FRESH_MS;
  return drills.length > 0 && drills.every((drill) => drill !== null && isGood(drill));
}

function triageOf({ skills }: ReadinessFacts): readonly string[] {
  return skills.filter((skill) => TRIAGE.has(skill));
}

function point(name: string, most: number, found: boolean, yes: string, no: string): Point {
  return { name, points: found ? most : 0, most, why: found ? yes : no };
}

function filePoints(facts: ReadinessFacts): readonly Point[] {
  const { stateFiles, loops, conventions, speaks, safety, hasGithub, workflows, connectors, patterns } = facts;
  return [
    point("project", 10, true, "there is one", ""),
    point("state", 18, stateFiles.length > 0, stateFiles.join(", "), "no state file with a section that loops know"),
    point("LOOP.md", 9, loops > 0, `names ${loops} loops`, "names no loop"),
    point("conventions", 9, conventions !== null, `${conventions}`, "neither AGENTS.md nor CLAUDE.md says anything"),
    point("gates", 4, speaks.gates, "LOOP.md says what needs a person", "LOOP.md says nothing of gates"),
    point("safety", 4, safety !== null, `${safety}`, "no safety.md, docs/safety.md or SECURITY.md"),
    point("github", 6, hasGithub, ".github/", "no .github/"),
    point("workflows", 4, workflows > 0, `${workflows} in .github/workflows/`, "none in .github/workflows/"),
    point(
      "connectors",
      3,
      connectors !== null || speaks.connectors,
      connectors ?? "LOOP.md speaks of them",
      "no .mcp.json, and LOOP.md says nothing of them",
    ),
    point("worktrees", 3, speaks.worktrees, "LOOP.md speaks of them", "LOOP.md says nothing of them"),
    point("registry", 2, patterns > 0, `${patterns} patterns`, "no patterns/registry.yaml that can be read"),
  ];
}

function skillPoints(facts: ReadinessFacts): readonly Point[] {
  const triage = triageOf(facts);
  const known = facts.skills.filter((skill) => LOOP_SKILLS.has(skill));
  const { verifiers, skills } = facts;
  return [
    point("triage", 14, triage.length > 0, triage.join(", "), "no skill for triage"),
    {
      name: "skills",
      points: known.length >= 2 ? 14 : known.length * 7,
      most: 14,
      why: known.length === 0 ? "no skill of a loop" : known.join(", "),
    },
    point("verifier", 14, verifiers.length > 0, verifiers.join(", "), "nobody checks but the maker"),
    point("budget skill", 2, skills.includes(BUDGET_SKILL), BUDGET_SKILL, `no skill ${BUDGET_SKILL}`),
  ];
}

function costPoints(facts: ReadinessFacts): readonly Point[] {
  const { limits, logged, speaks, lastActivity, now } = facts;
  const days = lastActivity === null ? null : Math.floor((now - lastActivity) / DAY_MS);
  return [
    point("limits", 3, limits > 0, `${limits} in loop-budget.md`, "loop-budget.md holds none"),
    point("run log", 3, logged > 0, `${logged} entries in loop-run-log.md`, "loop-run-log.md has no entry"),
    point("budget", 2, speaks.budget, "LOOP.md speaks of it", "LOOP.md says nothing of a budget"),
    point(
      "activity",
      6,
      isActive(facts),
      `a loop ran ${days} days ago`,
      days === null ? "no loop has run yet" : `the last run was ${days} days ago`,
    ),
  ];
}

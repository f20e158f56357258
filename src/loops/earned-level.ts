/**
 * The level a blueprint has earned: a fold over its runs, drills and incidents. Evidence counts only for the very gates it
 * was made with. A person may go lower at any time; to go higher, somebody must say why.
 */
import type { Level } from "../blueprint/blueprint.ts";
import type { DrillRecord, IncidentRecord } from "../ports/store/evidence.ts";

const DAY_MS = 86_400_000;

/** What a level needs. L0 and L1 need nothing, and L2 needs nothing before there was an incident. */
const THRESHOLDS = {
  /** Verified runs in a row, and the level that they must have had at least. */
  L3: { cleanRuns: 5, runsFrom: "L2", drillWithinMs: 30 * DAY_MS },
  L2: { cleanRuns: 5, runsFrom: "L1", drillWithinMs: 30 * DAY_MS },
} as const;

/** The least score of the audit for each level (`src/loops/audit/readiness.ts`). */
export const READINESS = { L1: 38, L2: 58, L3: 78 } as const;

type Gained = keyof typeof THRESHOLDS;

/** Digests of the gates that a run at each level has, as one plan tells; a level above that of the plan has those of the plan. */
export type GatesByLevel = Readonly<Record<"L1" | Gained, string>>;

export interface RunEvidence {
  readonly run: string;
  /** When it was created. */
  readonly at: number;
  readonly level: Level;
  readonly gates: GatesByLevel;
  /** `clean`: a success with its certificate. `silent`: not over, ended by a person, a fork of another run, or nothing was to be judged. */
  readonly result: "clean" | "failed" | "silent";
}

/** Lists are newest first. */
export interface History {
  readonly now: number;
  /** Of what the level is asked for. */
  readonly gates: GatesByLevel;
  readonly runs: readonly RunEvidence[];
  readonly drills: readonly DrillRecord[];
  readonly incidents: readonly IncidentRecord[];
  /** How ready the project is, for a loop of loop-engineering; null: nobody asks. */
  readonly readiness: number | null;
}

export interface Missing {
  readonly level: Level;
  readonly what: string;
  readonly have: string;
  readonly need: string;
}

export interface Earned {
  readonly earned: Level;
  /** What there is, a sentence each. */
  readonly evidence: readonly string[];
  /** What each higher level still needs. */
  readonly missing: readonly Missing[];
}

export function earnedLevel(history: History): Earned {
  const forL2 = incidentsUpTo(history, "L2").length === 0 ? [] : lacking(history, "L2");
  const missing = [...forL2, ...lacking(history, "L3")];
  const earned: Level = forL2.length > 0 ? "L1" : missing.length > 0 ? "L2" : "L3";
  return { earned, evidence: told(history), missing };
}

/** What a run at this level would need that is not there. Levels are named so that they sort. */
export function missingFor({ earned, missing }: Earned, level: Level): readonly Missing[] {
  return level <= earned ? [] : missing.filter((each) => each.level <= level);
}

export function missingText({ what, have, need }: Missing): string {
  return `${what}: ${have}, needs ${need}`;
}

/** An incident takes away the level that its run had and every level above, down to L1. */
function incidentsUpTo({ incidents }: History, level: Gained): readonly IncidentRecord[] {
  return incidents.filter((incident) => incident.level <= level);
}

function lacking(history: History, level: Gained): readonly Missing[] {
  const { cleanRuns, runsFrom } = THRESHOLDS[level];
  const incidents = incidentsUpTo(history, level);
  // Evidence from before an incident did not keep it away.
  const after = Math.max(Number.NEGATIVE_INFINITY, ...incidents.map(({ at }) => at));
  const since = incidents.length === 0 ? "" : " since the last incident";
  const runs = cleanInARow(history, level, { after, blamed: new Set(incidents.map(({ run }) => run)) });
  const drill = drillProblem(history, level, after);
  const missing: Missing[] = [];
  if (runs < cleanRuns) {
    const what = `clean verified runs in a row at ${runsFrom} or above with these gates${since}`;
    missing.push({ level, what, have: String(runs), need: String(cleanRuns) });
  }
  if (drill !== null) missing.push({ level, what: `a fresh drill of these gates${since}`, ...drill });
  // An unattended loop stands on its files as well: its state, its limits, its log.
  if (level === "L3" && history.readiness !== null && history.readiness < READINESS.L3)
    missing.push({
      level,
      what: "a project that is ready for it (`pawl audit`)",
      have: String(history.readiness),
      need: String(READINESS.L3),
    });
  return missing;
}

/** From where on runs count: after this time, and after every run that an incident names, whatever the clock said. */
interface Since {
  readonly after: number;
  readonly blamed: ReadonlySet<string>;
}

/**
 * A run that failed ends the row, and so does one with other gates: a change of gates starts over. A run below the level could not
 * meet the gates that only the level has; the drill speaks for those.
 */
function cleanInARow({ runs, gates }: History, level: Gained, { after, blamed }: Since): number {
  const { runsFrom } = THRESHOLDS[level];
  let count = 0;
  for (const run of runs) {
    if (run.at <= after || blamed.has(run.run)) break;
    if (run.level < runsFrom || run.result === "silent") continue;
    const both = (run.level < level ? run.level : level) as keyof GatesByLevel;
    if (run.result === "failed" || run.gates[both] !== gates[both]) break;
    count += 1;
  }
  return count;
}

/** A drill is of all gates that there are, so it speaks for those of a lower level too. */
function newestDrill({ drills, gates }: History, level: Gained): DrillRecord | undefined {
  return drills.find((each) => each.gates === gates[level] || (level === "L2" && each.gatesAtL2 === gates.L2));
}

/** Only the newest drill of these gates speaks. */
function drillProblem(history: History, level: Gained, after: number): Pick<Missing, "have" | "need"> | null {
  const { drillWithinMs } = THRESHOLDS[level];
  const need = `every planted defect caught and every harmless change passed within ${drillWithinMs / DAY_MS} days`;
  const drill = newestDrill(history, level);
  if (drill === undefined || drill.at <= after) return { have: "none", need };
  const { planted, caught, harmless, passed, at } = drill;
  const isPerfect = planted > 0 && caught === planted && harmless > 0 && passed === harmless;
  if (!isPerfect) return { have: drillText(drill), need };
  const age = history.now - at;
  if (age < 0) return { have: "one of a time that is still to come", need };
  return age <= drillWithinMs ? null : { have: `one of ${Math.floor(age / DAY_MS)} days ago`, need };
}

function drillText({ planted, caught, harmless, passed }: DrillRecord): string {
  return `${caught} of ${planted} caught, ${passed} of ${harmless} passed`;
}

function told(history: History): readonly string[] {
  const [incident] = history.incidents;
  const runs = cleanInARow(history, "L3", { after: Number.NEGATIVE_INFINITY, blamed: new Set() });
  const drill = newestDrill(history, "L3");
  const sentences = [`clean verified runs in a row at ${THRESHOLDS.L3.runsFrom} or above: ${runs}`];
  if (drill !== undefined) sentences.push(`newest drill of these gates, ${drill.id}: ${drillText(drill)}`);
  if (incident !== undefined) {
    const { id, what, run, level, by, why } = incident;
    sentences.push(`newest incident, ${id}: ${what} of run ${run} at ${level}; ${by}: ${why}`);
  }
  return sentences;
}

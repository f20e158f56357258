/**
 * The completion certificate: what was claimed, what was judged, by which untouched files, and what it cost. Built from the
 * plan and the journal and from nothing else, so it can be built again at any time: the same run gives the same bytes.
 */
import { sha256 } from "../../base/digest.ts";
import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import type { Plan } from "../../plan/plan.ts";
import { gatesDigest } from "./digests.ts";
import { type Folded, foldList, type TestEvidence, testEvidence } from "./test-evidence.ts";

/** A saved tree, and the id of what it holds: the same for every commit with exactly these files. */
export interface TreeName {
  readonly tree: string;
  readonly oid?: string;
}

/** What a gate said, as its event has it. */
export interface Judgement {
  readonly stage: string;
  /** `exit`, `tests`, `metric`, `quality`, `change`, `merge` or `person`. */
  readonly by: string;
  readonly verdict: string;
  readonly tree: string | null;
  readonly argv: readonly string[] | null;
  readonly exit: number | null;
  readonly output: JsonValue;
  /** Every test by outcome, where tests were judged; null: there are none. */
  readonly results: JsonValue;
  readonly log: string | null;
  /** Name → digest. */
  readonly artifacts: Readonly<Record<string, string>>;
  readonly at: number;
}

export interface UsedApproval {
  readonly id: string | null;
  readonly stage: string;
  readonly digest: string;
  readonly answer: string;
  readonly by: string;
  readonly at: number;
}

export interface CertificateInput {
  readonly plan: Plan;
  readonly run: string;
  /** The first of a line of forks; the run itself when it is no fork. */
  readonly origin: string;
  /** Why it ran above the level that was earned; null: it did not. */
  readonly unearned: { readonly by: string; readonly why: string } | null;
  /** How much of the journal it covers: so many events, and the chain value over them. */
  readonly journal: { readonly events: number; readonly head: string };
  readonly base: TreeName;
  readonly candidate: TreeName;
  readonly gates: readonly Judgement[];
  /** Path → sha256 of every protected file, taken from the base. */
  readonly verifiers: Readonly<Record<string, string>>;
  readonly approvals: readonly UsedApproval[];
  readonly cost: {
    readonly tokens: number;
    readonly microUsd: number;
    readonly stages: number;
    readonly wallMs: number;
  };
  readonly createdAt: number;
}

export interface GateEntry extends Omit<Judgement, "output" | "results"> {
  /** Digest of everything it reported. */
  readonly output: string | null;
  readonly tests: TestEvidence | null;
}

export interface Certificate {
  readonly version: 1;
  readonly claim: {
    readonly blueprint: string;
    readonly run: string;
    readonly origin: string;
    readonly level: Level;
    readonly plan: string;
    readonly policy: string;
    readonly gates: string;
    readonly unearned: CertificateInput["unearned"];
  };
  readonly journal: CertificateInput["journal"];
  readonly base: TreeName;
  readonly candidate: TreeName;
  readonly gates: readonly GateEntry[];
  readonly verifiers: Folded<Readonly<Record<string, string>>>;
  readonly approvals: readonly UsedApproval[];
  readonly cost: CertificateInput["cost"];
  readonly times: { readonly createdAt: number; readonly judgedAt: number };
}

/** A certificate with what is too long to stand in it: each text is stored under its own digest. */
export interface Built {
  readonly certificate: Certificate;
  readonly lists: readonly string[];
}

export function buildCertificate(input: CertificateInput): Built {
  const { plan, run, origin, unearned, journal, base, candidate, approvals, cost, createdAt } = input;
  const lists: string[] = [];
  const gates = input.gates.map(({ output, results, ...gate }): GateEntry => {
    const tests = testEvidence(output, results, lists);
    return { ...gate, output: output === null ? null : sha256(canonical(output)), tests };
  });
  const certificate: Certificate = {
    version: 1,
    claim: {
      blueprint: plan.name,
      run,
      origin,
      level: plan.level,
      plan: plan.fingerprint,
      policy: plan.policy,
      gates: gatesDigest(plan),
      unearned,
    },
    journal,
    base,
    candidate,
    gates,
    verifiers: foldList(input.verifiers, Object.keys(input.verifiers).length, lists),
    approvals,
    cost,
    times: { createdAt, judgedAt: Math.max(createdAt, ...gates.map(({ at }) => at)) },
  };
  return { certificate, lists };
}

/** The bytes that are stored, signed and named by their digest. */
export function certificateText(certificate: Certificate): string {
  return canonical(certificate as unknown as JsonValue);
}

const MOST_DIFFERENCES = 20;

/** Every way in which a stored certificate does not say what the journal says; the first of them where there are very many. */
export function checkCertificate(text: string, expected: Certificate): readonly string[] {
  let found: JsonValue;
  try {
    found = JSON.parse(text) as JsonValue;
  } catch {
    return ["it is not JSON"];
  }
  const problems: string[] = [];
  compare("", found, expected as unknown as JsonValue, problems);
  if (problems.length === 0 && text !== certificateText(expected)) problems.push("it is not in canonical form");
  return problems.slice(0, MOST_DIFFERENCES);
}

function compare(
  path: string,
  found: JsonValue | undefined,
  expected: JsonValue | undefined,
  problems: string[],
): void {
  if (isContainer(found) && isContainer(expected) && Array.isArray(found) === Array.isArray(expected)) {
    const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
    for (const name of [...names].sort())
      compare(path === "" ? name : `${path}.${name}`, found[name], expected[name], problems);
  } else if (textOf(found) !== textOf(expected)) {
    problems.push(`${path === "" ? "it" : path} is ${textOf(found)}, the journal says ${textOf(expected)}`);
  }
}

function isContainer(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null;
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? "missing" : canonical(value);
}

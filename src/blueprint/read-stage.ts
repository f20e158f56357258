/** One stage: which kind it is, which keys it may have, and what it becomes. */
import { readAgent } from "./agent/read-agent.ts";
import type {
  CommandFields,
  LeafSpec,
  ModelsSpec,
  Program,
  ResourceSpec,
  StageCommon,
  StageSettings,
} from "./blueprint.ts";
import {
  type KindName,
  type SettingFound,
  STAGE_FIELDS,
  STAGE_KINDS,
  type StageField,
  type StageFound,
  stageName,
  TERMINALS,
  verbOf,
} from "./fields.ts";
import { checkGateForm, gateKind, readApprovalGate, readChangeGate, readProcessGate } from "./gate/read-gate.ts";
import { readGroup } from "./read-group.ts";
import { type Reading, readFields, reportUnknownKey } from "./shapes/shape.ts";
import type { StageDraft } from "./stage-draft.ts";
import type { Range } from "./text/source.ts";
import type { Entry, MapNode } from "./text/tree.ts";

/** `item`: the member of a `for_each` group, whose id may be left out. */
type Position = "stage" | "member" | "item";

const NO_PROGRAM: Program = { argv: { lit: [] } };
const FIELDS: Readonly<Record<string, StageField<unknown>>> = STAGE_FIELDS;

export function readStage(node: MapNode, outer: Reading, position: Position = "stage"): StageDraft {
  const reading: Reading = { ...outer, references: [] };
  const kind = readKind(node, reading);
  const place = position === "stage" ? "the stage" : "the member of a group";
  const entries = keptEntries(node, kind, position, reading);
  const found = readFields(node, entries, STAGE_FIELDS, place, reading);
  const id = readId(node, position, reading);
  const at = found.id?.node ?? { start: node.start, end: node.start + 1 };
  const routes = routesOf(found, kind);
  const inputs = (found.inputs?.value ?? []).map(({ value, node: { start, end } }) => ({ value, start, end }));
  const { span } = reading.problems.source;
  const common: StageCommon = {
    id: found.id?.value ?? (position === "item" ? "item" : ""),
    ...(found.title === undefined ? {} : { title: found.title.value }),
    ...(found.level === undefined ? {} : { level: found.level.value }),
    ...(found.below === undefined ? {} : { below: { target: found.below.value, where: span(found.below.node) } }),
    ...(found.untrusted === undefined ? {} : { untrusted: found.untrusted.value }),
    ...settingsOf(found),
    inputs: inputs.map((input) => ({ name: input.value, where: span(input) })),
    on: routes.map((route) => ({ ...route.value, where: span(route) })),
    where: span(at),
  };
  const references = reading.references.map((reference) => ({ ...reference, hasItem: position === "item" }));
  const draft = { kind, id, routes, below: belowOf(found), start: at.start, end: at.end };
  if (found.gate?.node.kind === "map") checkGateForm(found.gate.node, reading);
  if (found.group !== undefined && position === "stage") {
    const group = readGroup(common, found.group, reading, readStage);
    return { ...draft, spec: group.spec, references: [...references, ...group.references], inputs: group.inputs };
  }
  return { ...draft, spec: leafSpec(kind, common, found, reading, at), references, inputs: [inputs] };
}

function belowOf({ below }: StageFound): StageDraft["below"] {
  return below === undefined ? undefined : { value: below.value, start: below.node.start, end: below.node.end };
}

/** The kind follows from the one verb. */
function readKind(node: MapNode, { problems }: Reading): KindName | undefined {
  const verbs = node.entries.filter(({ key }) => isVerb(key));
  const [first, second] = verbs;
  if (first !== undefined && second !== undefined) {
    problems.report("BLUEPRINT_STAGE_TWO_VERBS", { first: first.key, second: second.key }, second.at);
  }
  if (first === undefined && node.entries.every(({ key }) => Object.hasOwn(FIELDS, key))) {
    problems.report("BLUEPRINT_STAGE_NO_VERB", {}, { start: node.start, end: node.start + 1 });
  }
  if (first?.key === "gate") return first.value.kind === "map" ? gateKind(first.value) : "gate";
  return first?.key as KindName | undefined;
}

function isVerb(key: string): boolean {
  return STAGE_KINDS.some((kind) => kind === key);
}

/** Reports every key that is unknown or has no meaning here, and leaves it out. */
function keptEntries(node: MapNode, kind: KindName | undefined, position: Position, reading: Reading): Entry[] {
  return node.entries.filter((entry) => {
    const field = Object.hasOwn(FIELDS, entry.key) ? FIELDS[entry.key] : undefined;
    if (field === undefined) {
      reportUnknownKey(entry, knownKeys(kind), "the stage", reading);
      return false;
    }
    if (isVerb(entry.key)) return isKeptVerb(entry, kind, position, reading);
    return isKeptField(entry, field, kind, position, reading);
  });
}

function knownKeys(kind: KindName | undefined): string[] {
  const others = Object.keys(FIELDS).filter((key) => !isVerb(key));
  if (kind === undefined) return [...STAGE_KINDS, ...others];
  return others.filter((key) => FIELDS[key]?.kinds.includes(kind));
}

function isKeptVerb(entry: Entry, kind: KindName | undefined, position: Position, { problems }: Reading): boolean {
  if (entry.key === "group" && position !== "stage") {
    problems.report("BLUEPRINT_GROUP_NESTED", {}, entry.at);
    return false;
  }
  return kind !== undefined && entry.key === verbOf(kind);
}

function isKeptField(
  { key, at }: Entry,
  field: StageField<unknown>,
  kind: KindName | undefined,
  position: Position,
  { problems }: Reading,
): boolean {
  if (field.isTopOnly && position !== "stage") {
    const data = { key, place: "a member of a group", belongs: "the group itself" };
    problems.report("BLUEPRINT_KEY_MISPLACED", data, at);
    return false;
  }
  if (kind === undefined || field.kinds.includes(kind)) return true;
  const verbs = [...new Set(field.kinds.map(verbOf))].join(", ");
  const belongs = kind === "group" ? `the members: ${verbs} stages` : `${verbs} stages`;
  problems.report("BLUEPRINT_KEY_MISPLACED", { key, place: stageName(kind), belongs }, at);
  return false;
}

/** The id as written; a missing or reserved one is reported here, a malformed one where the field is read. */
function readId(node: MapNode, position: Position, { problems }: Reading): string | undefined {
  const entry = node.entries.find(({ key }) => key === "id");
  if (entry === undefined && position !== "item") {
    const place = position === "stage" ? "the stage" : "the member of a group";
    const data = { key: "id", place, about: STAGE_FIELDS.id.about };
    problems.report("BLUEPRINT_KEY_MISSING", data, { start: node.start, end: node.start + 1 });
  }
  if (entry?.value.kind !== "scalar") return undefined;
  const id = String(entry.value.value);
  if (TERMINALS.includes(id)) {
    problems.report("BLUEPRINT_NAME_RESERVED", { name: id, reason: "it is where a run ends" }, entry.value);
  }
  return id;
}

export function settingsOf(found: SettingFound): StageSettings {
  return {
    ...(found.effect === undefined ? {} : { effect: found.effect.value }),
    ...(found.max_attempts === undefined ? {} : { maxAttempts: found.max_attempts.value }),
    ...(found.max_visits === undefined ? {} : { maxVisits: found.max_visits.value }),
    ...(found.timeout === undefined ? {} : { timeoutMs: found.timeout.value }),
    ...(found.stall === undefined ? {} : { stallMs: found.stall.value }),
    ...(found.backoff === undefined ? {} : { backoff: found.backoff.value }),
    ...(found.cwd === undefined ? {} : { cwd: found.cwd.value }),
    ...(found.sandbox === undefined ? {} : { sandbox: found.sandbox.value }),
    ...(found.network === undefined ? {} : { network: found.network.value.map(({ value }) => value) }),
    ...(found.resources === undefined ? {} : { resources: resourcesOf(found.resources.value) }),
  };
}

type ResourcesFound = NonNullable<SettingFound["resources"]>["value"];

function resourcesOf({ memory, cpu, processes, file_size, output }: ResourcesFound): ResourceSpec {
  return {
    ...(memory === undefined ? {} : { memoryBytes: memory.value }),
    ...(cpu === undefined ? {} : { cpuMs: cpu.value }),
    ...(processes === undefined ? {} : { processes: processes.value }),
    ...(file_size === undefined ? {} : { fileBytes: file_size.value }),
    ...(output === undefined ? {} : { outputBytes: output.value }),
  };
}

/** Every route in the order written. `on_success` and `on_failure` take the name the kind has for it. */
function routesOf({ on, on_success, on_failure }: StageFound, kind: KindName | undefined): StageDraft["routes"] {
  const isGate = kind !== undefined && verbOf(kind) === "gate";
  const pairs = (on?.value ?? []).map((route) => ({ outcome: route.name, target: route }));
  if (on_success !== undefined)
    pairs.push({ outcome: isGate ? "pass" : "success", target: { ...on_success, name: "" } });
  if (on_failure !== undefined)
    pairs.push({ outcome: isGate ? "fail" : "failure", target: { ...on_failure, name: "" } });
  return pairs
    .map(({ outcome, target }) => ({
      value: { outcome, target: target.value },
      start: target.node.start,
      end: target.node.end,
    }))
    .sort((a, b) => a.start - b.start);
}

function leafSpec(
  kind: KindName | undefined,
  common: StageCommon,
  found: StageFound,
  reading: Reading,
  at: Range,
): LeafSpec {
  const gate = found.gate?.value ?? {};
  switch (kind) {
    case "agent": {
      const agent = readAgent(found.agent?.value ?? {}, at, reading);
      return { ...common, kind, agent, outputs: outputsOf(found), ...modelsOf(found) };
    }
    case "action":
      return { ...common, kind, action: found.action?.value ?? "", with: found.with?.value ?? { lit: {} } };
    case "gate": {
      const { program, judge } = readProcessGate(gate, reading);
      return { ...common, ...processFields(found, program), kind, judge };
    }
    case "inspection":
      return { ...common, kind, ...readChangeGate(gate, reading) };
    case "approval":
      return { ...common, kind, ...readApprovalGate(gate, reading) };
    case "run": {
      const params = (found.run?.value.params?.value ?? []).map(({ name, value }) => [name, value] as const);
      return { ...common, kind, blueprint: found.run?.value.blueprint?.value ?? "", params };
    }
    default:
      return { ...common, ...processFields(found, found.command?.value), ...modelsOf(found), kind: "command" };
  }
}

const MOST_CALLS = 1000;

function modelsOf({ models }: StageFound): { readonly models?: ModelsSpec } {
  if (models === undefined) return {};
  const { tokens, usd, calls, providers, record } = models.value;
  const names = providers?.value.map(({ value }) => value);
  return {
    models: {
      tokens: tokens?.value ?? 0,
      microUsd: usd?.value ?? 0,
      calls: calls?.value ?? MOST_CALLS,
      providers: names === undefined ? null : [...new Set(names)].sort(),
      ...(record?.value === true ? { record: true } : {}),
    },
  };
}

function processFields(found: StageFound, program: Program | undefined): CommandFields {
  return {
    program: program ?? NO_PROGRAM,
    env: (found.env?.value ?? []).map(({ name, value }) => [name, value] as const),
    capture: found.capture?.value ?? "none",
    outputs: outputsOf(found),
    ...(found.keep === undefined ? {} : { keep: found.keep.value.map(({ value }) => value) }),
    ...(found.quota === undefined ? {} : { quota: found.quota.value }),
  };
}

function outputsOf({ outputs }: StageFound): CommandFields["outputs"] {
  return (outputs?.value ?? []).map(({ name, value }) => ({ name, path: value }));
}

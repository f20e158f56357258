/** The body of a gate: which of its forms was written, and what that form becomes. */
import type { CommandFields, LeafSpec, StageCommon } from "./blueprint.ts";
import type { StageFound } from "./fields.ts";
import type { Reading } from "./shapes/shape.ts";
import { keysOf, type MapNode, type Tree } from "./text/tree.ts";

/** How long a question to a person stays open when nobody says otherwise. */
export const QUESTION_MS = 86_400_000;

type GateFound = NonNullable<StageFound["gate"]>;

/** Who or what judges: a gate has exactly one of these keys. */
const GATE_FORMS = ["command", "approval"] as const;

/** The kind of a stage whose verb is `gate`. Asks which keys were written, not which could be read. */
export function gateKind(stage: MapNode): "gate" | "approval" {
  const body = stage.entries.find(({ key }) => key === "gate")?.value;
  const written = new Set(keysWritten(body));
  return written.has("approval") && !written.has("command") ? "approval" : "gate";
}

function keysWritten(body: Tree | undefined): readonly string[] {
  return body?.kind === "map" ? keysOf(body) : [];
}

export function checkGate({ node, key, value }: GateFound, { problems }: Reading): void {
  const written = new Set(keysWritten(node));
  const forms = GATE_FORMS.filter((form) => written.has(form)).map((form) => `\`${form}\``);
  const { expires, remind } = value.approval?.value ?? {};
  const wrongs: readonly (readonly [boolean, string])[] = [
    [forms.length === 0, `has none of ${GATE_FORMS.map((form) => `\`${form}\``).join(", ")}`],
    [forms.length > 1, `has ${forms.join(" and ")}`],
    [forms.length === 1 && written.has("escalate") && !written.has("command"), "has `escalate` but no `command`"],
    [remind !== undefined && remind.value >= (expires?.value ?? QUESTION_MS), "reminds only when it has expired"],
  ];
  for (const [isWrong, problem] of wrongs) if (isWrong) problems.report("BLUEPRINT_GATE_FORM", { problem }, key);
}

export function approvalSpec(common: StageCommon, gate: GateFound | undefined): LeafSpec {
  const { question, expires, remind } = gate?.value.approval?.value ?? {};
  return {
    ...common,
    kind: "approval",
    ...(question === undefined ? {} : { question: question.value }),
    ...(expires === undefined ? {} : { expiresMs: expires.value }),
    ...(remind === undefined ? {} : { remindMs: remind.value }),
  };
}

export function gateSpec(common: StageCommon, process: CommandFields, gate: GateFound | undefined): LeafSpec {
  const escalateExits = (gate?.value.escalate?.value ?? []).map(({ value }) => value);
  return { ...common, ...process, kind: "gate", escalateExits };
}

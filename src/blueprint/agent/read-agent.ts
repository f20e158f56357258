/** What an `agent` stage says, as far as it could be read. */
import type { Span } from "../../base/diagnostic.ts";
import type { AgentDefaults, AgentSpec } from "../blueprint.ts";
import type { Reading } from "../shapes/shape.ts";
import type { Range } from "../text/source.ts";
import type { AgentDefaultsFound, AgentFound } from "./agent-fields.ts";

/** What a checker may answer unless its author says otherwise. */
const VERDICTS = ["accept", "reject", "escalate"] as const;

export function agentDefaultsOf({ use, model, toolset, max_turns }: AgentDefaultsFound): AgentDefaults {
  return {
    ...(use === undefined ? {} : { use: use.value }),
    ...(model === undefined ? {} : { model: model.value }),
    ...(toolset === undefined ? {} : { toolset: toolset.value }),
    ...(max_turns === undefined ? {} : { maxTurns: max_turns.value }),
  };
}

/** `at`: where the stage stands, for what has no place of its own. */
export function readAgent(found: AgentFound, at: Range, { problems }: Reading): AgentSpec {
  const { span } = problems.source;
  const role = found.role?.value ?? "implementer";
  const written = found.outcomes?.value.map(({ value }) => value);
  const failure = found.outcomes?.value.find(({ value }) => value === "failure");
  if (failure !== undefined) {
    const data = { name: "failure", reason: "an agent that fails has this outcome" };
    problems.report("BLUEPRINT_NAME_RESERVED", data, failure.node);
  }
  return {
    ...agentDefaultsOf(found),
    role,
    goal: found.goal?.value ?? { lit: "" },
    outcomes: [...new Set(written ?? (role === "checker" ? VERDICTS : []))],
    ...ownOf(found, span),
    ...contextOf(found, span),
    with: found.with?.value ?? { lit: {} },
    where: span(found.use?.node ?? at),
  };
}

function ownOf({ schema, run, script }: AgentFound, span: (at: Range) => Span): Partial<AgentSpec> {
  return {
    ...(schema === undefined ? {} : { schema: schema.value }),
    ...(run === undefined ? {} : { program: run.value }),
    ...(script === undefined ? {} : { script: { name: script.value, where: span(script.node) } }),
  };
}

function contextOf({ skills, context }: AgentFound, span: (at: Range) => Span): Pick<AgentSpec, "context"> {
  const [first] = [skills, context].filter((given) => given !== undefined);
  if (first === undefined) return {};
  const texts = (given: typeof skills): readonly string[] => (given?.value ?? []).map(({ value }) => value);
  return { context: { skills: texts(skills), files: texts(context), where: span(first.node) } };
}

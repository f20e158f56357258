/** The keys of `mcp` in pawl.yaml: name of a server → how it is started. */
import { textProblem } from "../../policy/patterns/text.ts";
import { duration, list, mapped, object, record, type Shape, text } from "../shapes/shape.ts";
import { byteCount, hostName, VARIABLE } from "../shapes/value-shapes.ts";

const MOST_ARGUMENTS = 100;
const SERVER_NAME = {
  pattern: /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
  expected: "small letters and digits joined by -, a letter first",
} as const;

const argument: Shape<string> = text({
  expected: "text of at most 2000 characters",
  max: 2000,
  refusesReferences: true,
});
const reservedVariable = (key: string): string | undefined =>
  key.startsWith("PAWL_") ? "names that begin with PAWL_ are set by the runtime" : undefined;

const toolName: Shape<string> = mapped(
  text({ expected: "a name such as search_*", max: 128 }),
  (pattern, node, { problems }) => {
    const problem = textProblem(pattern);
    if (problem === undefined) return pattern;
    problems.report(
      "BLUEPRINT_VALUE_INVALID",
      { field: "tools", expected: "names", found: `a pattern: ${problem}` },
      node,
    );
    return undefined;
  },
);

const SERVER = object(
  {
    run: {
      shape: list(argument, { min: 1, max: MOST_ARGUMENTS }),
      about: "What to start: a list, no shell reads it.",
      isRequired: true,
    },
    env: {
      shape: record(argument, { ...VARIABLE, reserved: reservedVariable }),
      about: "Variables it is given. No secrets: this file is in the repository.",
    },
    network: {
      shape: list(hostName(), { min: 0, max: 100 }),
      about: "Hosts it may reach through the broker (none).",
    },
    tools: {
      shape: list(toolName, { min: 1, max: 200 }),
      about: "The tools of it that are used, with * for any characters (all).",
    },
    timeout: { shape: duration(1), about: "Longest time of one call (60s)." },
    memory: { shape: byteCount(), about: "Memory of all its processes together (1g)." },
  },
  "an MCP server",
);

export const MCP = record(SERVER, SERVER_NAME);

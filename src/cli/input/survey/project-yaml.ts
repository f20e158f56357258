/** The first `pawl.yaml` of a project: short, commented, and whole. */
import type { FoundLoop, Survey } from "./survey.ts";

/** JSON is YAML; `$${` is a plain `${`. */
function written(value: string | readonly string[] | boolean): string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value.split("${").join("$${"));
  return `[${value.map((word) => written(word)).join(", ")}]`;
}

export function projectYaml(found: Survey): string {
  const taken = new Set(found.loops.map(({ name }) => name));
  const own = [
    ...(found.test === null || taken.has("check") ? [] : [checkLoop(found)]),
    ...(found.test === null || taken.has("fix-tests") ? [] : [fixLoop(found)]),
  ];
  return `# What Pawl knows about this project. Only you change this file: no run can.
# pawl list: its loops.  pawl plan NAME: what one would do.  pawl run NAME: run it now.  pawl serve: run them at their times.
version: 1

loops:
${[...own, ...found.loops.map(foundLoop)].join("\n")}
# The most that runs of this project may spend. Nothing starts that could pass it.
budget:
  day: { usd: 20 }
`;
}

const TIMES = `    # every: 1h                    # or cron: "0 3 * * 1-5", or watch: { files: ["src/**"] }; without: only by hand
`;

function paramsOf({ test, lint, workspace }: Survey): string {
  const lines = [
    `      test: ${written(test?.argv ?? [])}`,
    ...(lint === null ? [] : [`      # lint: ${written(lint.argv)}`]),
    ...(workspace.share.length === 0 ? [] : [`      share: ${written(workspace.share)}`]),
    ...(workspace.isRepository ? [] : ["      git: false"]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function checkLoop(found: Survey): string {
  return `  # Runs the tests of the last commit in a clean copy. It changes nothing.
  check:
    blueprint: "builtin:check"     # \`pawl init --eject check\` writes it out, for you to change
    level: L1                      # L0 plan, L1 report, L2 propose a branch, L3 merge
    params:
${paramsOf(found)}${TIMES}`;
}

/** Written out as a comment where nobody could do the work. */
function fixLoop(found: Survey): string {
  const { agent, agents, workspace } = found;
  const [first] = agents;
  const name = agent?.name ?? first?.name ?? "claude";
  const text = `  fix-tests:
    blueprint: "builtin:fix-tests"
    level: L2
    params:
      agent: ${name}
      usd: 5                       # the most that one run may cost
${paramsOf(found)}${TIMES}`;
  const about =
    "  # When tests fail, an agent repairs them; its work is judged in a clean copy and proposed as a branch.\n";
  if (agent !== null && workspace.isRepository) return `${about}${text}`;
  const lacks = workspace.isRepository ? lacking(first) : "a git repository";
  return `${about}  # It needs ${lacks}. Then take the # away:\n${text.replace(/^ {2}/gm, "  # ")}`;
}

function lacking(first: Survey["agents"][number] | undefined): string {
  if (first === undefined) return "an agent, such as Claude Code or Codex (`pawl doctor` says how to get one)";
  return `a key for ${first.name} (${first.provider ?? "any provider"}; docs/guides/gateway.md says where it goes)`;
}

function foundLoop({ name, key, source }: FoundLoop): string {
  return `  ${name}:
    ${key}: ${written(source)}
    level: L1
${TIMES}`;
}

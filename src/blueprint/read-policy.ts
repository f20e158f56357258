/** The policy section → rules, in the order allow, ask, deny. A pattern that cannot mean what it seems to mean is refused. */
import type { Effect, Pattern, Rule } from "../policy/rule.ts";
import type { BlueprintFound } from "./fields.ts";
import type { Given, Reading } from "./shapes/shape.ts";
import { ACTION_NAME } from "./shapes/value-shapes.ts";
import { keysOf } from "./text/tree.ts";

const EFFECTS: readonly Effect[] = ["allow", "ask", "deny"];

type PolicyFound = NonNullable<BlueprintFound["policy"]>["value"];
type RuleFound = NonNullable<PolicyFound["allow"]>["value"][number];

export function readPolicy(policy: PolicyFound | undefined, reading: Reading): Rule[] {
  return EFFECTS.flatMap((effect) =>
    (policy?.[effect]?.value ?? []).flatMap((found, index) => {
      const pattern = readPattern(found, reading);
      const because = found.value.because?.value;
      const rule = { id: `blueprint.${effect}[${index}]`, effect, ...(because === undefined ? {} : { because }) };
      return pattern === undefined ? [] : [{ ...rule, pattern }];
    }),
  );
}

function readPattern({ value, node }: RuleFound, { problems }: Reading): Pattern | undefined {
  const { run, shell, action } = value;
  const written = keysOf(node).filter((key) => key !== "because");
  if (written.length !== 1) {
    const found = written.length === 0 ? "none" : written.join(" and ");
    problems.report("BLUEPRINT_RULE_FORM", { found }, node);
    return undefined;
  }
  if (run !== undefined) return readArguments(run, problems);
  if (shell !== undefined) return { shell: shell.value };
  return action === undefined ? undefined : readAction(action, problems);
}

function readArguments(run: Given<Given<string>[]>, problems: Reading["problems"]): Pattern {
  run.value.forEach(({ value: pattern, node }, index) => {
    if (pattern === "**" && index < run.value.length - 1) {
      problems.report("BLUEPRINT_RULE_PATTERN", { pattern, problem: "may only be the last item" }, node);
    }
  });
  return { run: run.value.map(({ value }) => value) };
}

function readAction({ value: pattern, node }: Given<string>, problems: Reading["problems"]): Pattern {
  if (!ACTION_NAME.test(pattern.replace(/\.\*$/, ""))) {
    problems.report(
      "BLUEPRINT_RULE_PATTERN",
      { pattern, problem: "is neither an action nor a family of actions" },
      node,
    );
  }
  return { action: pattern };
}

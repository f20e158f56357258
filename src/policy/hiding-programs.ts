/**
 * Programs that a rule allows by their name although nobody can tell which commands they start: what they start is hidden from the rules
 * that deny commands or ask about them. A plan names them before anything runs.
 */
import { compilePolicy, compileRule } from "./compile.ts";
import { decide } from "./decide.ts";
import { expandText } from "./patterns/text.ts";
import { layerOf, type Rule } from "./rule.ts";
import type { Opaque } from "./shell/facts.ts";
import { unwrap } from "./shell/unwrap.ts";
import { SETS } from "./shipped/sets.ts";

/** What code, or a word of a language of its own, looks like when no option stands before it. */
const WORDS: readonly (readonly string[])[] = [[], ["-"], ["word"]];
/** Arguments that make a program start others if it can. */
const PROBES: readonly (readonly string[])[] = [...WORDS, ["-c", "word"], ["-e", "word"], ["BEGIN{system(1)}"]];

/** In the order of the rules; none if no rule besides the guard denies commands or asks about them. */
export function hidingPrograms(rules: readonly Rule[]): readonly string[] {
  const tried = rules.map(unconditional);
  const policy = compilePolicy(tried);
  if (!policy.isGuarded) return [];
  const hides = (run: readonly string[]): boolean =>
    PROBES.some((probe) => {
      const argv = filled(run, probe);
      return isHidden(argv) && decide(policy, { kind: "run", argv }).effect === "allow";
    });
  return [...new Set(tried.flatMap((rule) => namedLists(rule).filter(hides).map(programOf)))];
}

/** An option that nobody has described hides no command where the program is plain without it. */
function isHidden(argv: readonly string[]): boolean {
  const hides = hidesOf(argv);
  if (hides !== "program") return hides === "commands";
  return WORDS.some((words) => hidesOf([programOf(argv), ...words]) === "program");
}

function hidesOf(argv: readonly string[]): Opaque["hides"] | undefined {
  const found = unwrap({ argv });
  return found.kind === "opaque" ? found.hides : undefined;
}

/** What it allows under its conditions may happen. */
function unconditional(rule: Rule): Rule {
  if (rule.effect !== "allow") return rule;
  const { when: _when, except: _except, ...plain } = rule;
  return plain;
}

/** One pattern for each program that the rule writes out. A list of a shipped set is written out whole, and somebody has read it. */
function namedLists(rule: Rule): readonly (readonly string[])[] {
  const { pattern, effect, shadow } = rule;
  if (!("run" in pattern) || effect !== "allow" || shadow === true) return [];
  const { names } = compileRule(rule);
  const [program, ...rest] = pattern.run;
  const isNamed = names === "program" || (names === "all" && !(layerOf(rule) in SETS));
  return isNamed ? expandText(program as string).map((name) => [name, ...rest]) : [];
}

function programOf(run: readonly string[]): string {
  return run[0] as string;
}

/** The words of the probe take the place of the wildcards, in their order. */
function filled(run: readonly string[], probe: readonly string[]): readonly string[] {
  const words = [...probe];
  return run.flatMap((item) => {
    if (item === "**") return words.splice(0);
    return item.includes("*") ? [item.replaceAll("*", words.shift() ?? "word")] : [item];
  });
}

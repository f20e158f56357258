/** How many harmless commands are stopped although a rule allows their program whatever follows: false alarms, by effect and by program. */
import { compilePolicy } from "../../../src/policy/compile.ts";
import { decide } from "../../../src/policy/decide.ts";
import type { Decision, Effect } from "../../../src/policy/rule.ts";
import { EVERYDAY } from "../../../src/policy/shipped/everyday.ts";
import { GUARD } from "../../../src/policy/shipped/guard.ts";

export interface Alarm {
  readonly text: string;
  readonly program: string;
  readonly decision: Decision;
}

/** The first word of a text that is no variable. */
function firstProgram(text: string): string {
  return /^\s*(?:\w+=\S*\s+)*(\S+)/.exec(text)?.[1] ?? "";
}

/** Decides each text with the guard, the everyday set and the rule `[program, "**"]` for its first program. */
export function falseAlarms(texts: readonly string[]): readonly Alarm[] {
  return texts.flatMap((text) => {
    const program = firstProgram(text);
    const decision = decide(policyFor(program), { kind: "shell", script: text });
    return decision.effect === "allow" ? [] : [{ text, program, decision }];
  });
}

const POLICIES = new Map<string, ReturnType<typeof compilePolicy>>();

function policyFor(program: string): ReturnType<typeof compilePolicy> {
  const known = POLICIES.get(program);
  if (known !== undefined) return known;
  const named = { id: "user.allow[0]", effect: "allow", pattern: { run: [program, "**"] } } as const;
  // A text that is only blanks names no program.
  const fresh = compilePolicy([...GUARD, ...EVERYDAY, ...(program === "" ? [] : [named])]);
  POLICIES.set(program, fresh);
  return fresh;
}

/** The figure in words, with the programs that are stopped most often. */
export function alarmReport(name: string, total: number, alarms: readonly Alarm[]): string {
  const count = (effect: Effect): number => alarms.filter(({ decision }) => decision.effect === effect).length;
  const percent = ((100 * alarms.length) / total).toFixed(1);
  const byProgram = new Map<string, number>();
  for (const { program } of alarms) byProgram.set(program, (byProgram.get(program) ?? 0) + 1);
  const most = [...byProgram].sort((one, other) => other[1] - one[1]).slice(0, 20);
  return [
    `${name}: ${total} commands, ${total - alarms.length} allowed, ${count("ask")} asked about, ${count("deny")} denied: ${percent} % not allowed`,
    `  by program: ${most.map(([program, times]) => `${program} ${times}`).join(" · ")}`,
  ].join("\n");
}

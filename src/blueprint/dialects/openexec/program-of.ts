/** Commands of OpenExec, which are texts for a shell → a program of ours, and the rule that allows exactly that. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";

/** Words that mean the same to a shell and without one. */
const PLAIN = /^[A-Za-z0-9_./:@%+=,-]+(?: +[A-Za-z0-9_./:@%+=,-]+)*$/;
/** A first word of this form sets a variable. */
const ASSIGNS = /^[A-Za-z_][A-Za-z0-9_]*=/;

/** A list is started as it is, a text is read by a shell. */
export type ExecProgram = readonly string[] | string;

export function programOf(commands: readonly string[]): ExecProgram {
  const [only = "", ...others] = commands;
  if (others.length === 0) return isPlain(only) ? only.split(/ +/) : only;
  // Each in a shell of its own, as they were: what one changes there is nothing to the next.
  return commands.map((command) => `(\n${command}\n)`).join(" && ");
}

function isPlain(command: string): boolean {
  return PLAIN.test(command) && !ASSIGNS.test(command);
}

/** As a blueprint writes it: `${` stands for itself. */
export function written(program: ExecProgram): JsonValue {
  return typeof program === "string" ? literal(program) : program.map(literal);
}

export function literal(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** A rule about exactly this program. */
export function ruleFor(program: ExecProgram): JsonObject {
  if (typeof program !== "string") return { run: program };
  const shell = { field: "tool", eq: "shell" };
  return { any: true, when: [shell, { field: "pattern", eq: program }] };
}

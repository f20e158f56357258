/** A rule that is accepted can allow something: every program is tried that policy knows, and many that it does not know. */
import { describe, expect, it } from "vitest";
import { compilePolicy } from "../../policy/compile.ts";
import { decide } from "../../policy/decide.ts";
import { TOOLS } from "../../policy/shell/unwrap.ts";
import { GUARD } from "../../policy/shipped/guard.ts";
import { parsePolicy } from "./parse-policy.ts";

const UNKNOWN = "terraform aws gcloud flyctl just bazel ffmpeg mytool deploy.sh ./gradlew /opt/tool/bin/run x".split(
  " ",
);
const FULL = process.env["PAWL_FULL"] === "1";
const FEW = ["get", "exec", "-c", "--no-such-option"];
const COMMANDS = [...FEW, ...(FULL ? ["list", "status", "run", "install", "build", "x", "-e", "--version"] : [])];
const TAILS: readonly (readonly string[])[] = [
  [],
  ["x"],
  ["list"],
  ["--version"],
  ["a.b"],
  ["1", "x"],
  ["x", "status"],
];

/** Rules for what a program may start: a rule about a program that starts others needs them. */
const INNER = [...new Set([...COMMANDS, ...TAILS.flat(), "echo", "sh"])].map((name) => ({
  name,
  rule: { id: `user.inner.${name}`, effect: "allow" as const, pattern: { run: [name, "**"] } },
}));

/** Does the rule let a use of it happen, at least if a person agrees? */
function allows(program: string, command: string): boolean | "refused" {
  const parsed = parsePolicy(JSON.stringify({ allow: [{ run: [program, command, "**"] }] }), "policy.yaml", "user");
  if (!parsed.ok) {
    expect(parsed.problems).toMatchObject([{ code: "BLUEPRINT_RULE_NEVER", where: { file: "policy.yaml", line: 1 } }]);
    return "refused";
  }
  const inner = INNER.filter(({ name }) => name !== program).map(({ rule }) => rule);
  const policy = compilePolicy([...GUARD, ...parsed.value.rules, ...inner]);
  return TAILS.some((tail) => decide(policy, { kind: "run", argv: [program, command, ...tail] }).effect !== "deny");
}

describe("a rule [program, command, **]", () => {
  it.each(COMMANDS)("with the command %s allows a use of the program, or is refused where it is written", (command) => {
    const tried = [...TOOLS.keys(), ...UNKNOWN].map((program) => ({ program, found: allows(program, command) }));
    const refused = tried.filter(({ found }) => found === "refused").map(({ program }) => program);
    console.log(`[program, ${command}, **]: ${tried.length} programs, ${refused.length} refused: ${refused.join(" ")}`);
    expect(tried.filter(({ found }) => found === false).map(({ program }) => program)).toEqual([]);
    // What no table knows does its own work.
    expect(refused.filter((program) => UNKNOWN.includes(program))).toEqual([]);
    expect(tried.length).toBeGreaterThan(200);
  });
});

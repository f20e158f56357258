import { pawlError } from "../../../base/errors.ts";
import { compilePolicy } from "../../../policy/compile.ts";
import { explain } from "../../../policy/decide.ts";
import { failedExamples } from "../../../policy/examples.ts";
import type { PolicyRequest } from "../../../policy/request.ts";
import type { Rule } from "../../../policy/rule.ts";
import { GUARD } from "../../../policy/shipped/guard.ts";
import { SETS } from "../../../policy/shipped/sets.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { COMPILE_OPTIONS, compileGiven } from "../../input/find-blueprint.ts";
import { reportProblems } from "../../report-problems.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { explanationLines, ruleLines } from "../../views/policy.ts";
import { countOf } from "../../views/text/format-time.ts";

/** Exit codes of `check`, by what the rules say. */
const EXIT_OF = { allow: EXIT.succeeded, ask: EXIT.human, deny: EXIT.failed } as const;

export const policyCommand: CommandSpec = {
  name: "policy",
  summary: "Ask what the rules say, show them, or run their examples",
  details: [
    "`check` asks about one request and exits with 0 for allow, 2 for ask and 1 for deny. Nothing is run.",
    "`test` runs the examples that rules carry. `show` prints every rule that applies.",
    "Without --blueprint the rules are those of organisation, user and repository, the guard, and the set `everyday`.",
  ],
  arguments: [
    { name: "what", summary: "check, test or show", required: true },
    { name: "command", summary: "the command to ask about, after --", required: false, rest: true },
  ],
  options: [
    { kind: "text", flags: "--blueprint <blueprint>", summary: "with the rules of this blueprint instead of everyday" },
    ...COMPILE_OPTIONS,
    { kind: "text", flags: "--shell <text>", summary: "ask about a text for a shell" },
    { kind: "text", flags: "--read <path>", summary: "ask about reading a file" },
    { kind: "text", flags: "--edit <path>", summary: "ask about changing a file" },
    { kind: "text", flags: "--fetch <host>", summary: "ask about a host, as host or host:port" },
  ],
  examples: [
    { line: "pawl policy check -- git push --force", does: "the decision, its rule and why" },
    {
      line: "pawl policy check --shell 'npm test | tail' --blueprint fix-tests",
      does: "with the rules of a blueprint",
    },
    { line: "pawl policy test", does: "runs the examples of all rules" },
    { line: "pawl policy show --json", does: "every rule that applies" },
  ],
  exits: [0, 1, 2, 3],
  formats: ["json"],
  async run(context) {
    const what = context.given.text("what");
    const request = requestOf(context);
    if (what === "check" && request === undefined)
      throw wrong("Give a command after --, or one of --shell, --read, --edit, --fetch.");
    if (what !== "check" && request !== undefined) throw wrong("Only `check` takes something to ask about.");
    if (what !== "check" && what !== "test" && what !== "show") throw wrong("Say check, test or show.");
    const rules = await rulesOf(context);
    if (typeof rules === "number") return rules;
    if (request !== undefined) return check(context, rules, request);
    return what === "test" ? test(context, rules) : show(context, rules);
  },
};

function wrong(message: string): Error {
  return pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "policy", message });
}

function requestOf({ given }: Context): PolicyRequest | undefined {
  const [argv, script, read, edit, host] = [
    given.list("command"),
    ...(["shell", "read", "edit", "fetch"] as const).map((name) => given.text(name)),
  ] as const;
  const requests: PolicyRequest[] = [
    ...(argv.length === 0 ? [] : [{ kind: "run", argv } as const]),
    ...(script === undefined ? [] : [{ kind: "shell", script } as const]),
    ...(read === undefined ? [] : [{ kind: "read", path: read } as const]),
    ...(edit === undefined ? [] : [{ kind: "edit", path: edit } as const]),
    ...(host === undefined ? [] : [hostRequest(host)]),
  ];
  if (requests.length > 1) throw wrong("Ask about one thing at a time.");
  return requests[0];
}

function hostRequest(text: string): PolicyRequest {
  const [, host, port] = /^(.+?)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined) throw wrong("--fetch needs a host.");
  return { kind: "fetch", host, port: Number(port ?? 443) };
}

/** All rules that apply, with their examples where they have some; or the exit code after problems were told. */
async function rulesOf(context: Context): Promise<readonly Rule[] | ExitCode> {
  const runtime = await context.open({ readOnly: true });
  const { root, cwd, out } = context;
  const layers = await runtime.policyLayers();
  if (!layers.rules.ok) {
    return reportProblems(out, { problems: layers.rules.problems, sources: layers.sources, root, cwd });
  }
  const shipped = [...GUARD, ...layers.rules.value, ...SETS.everyday];
  if (context.given.text("blueprint") === undefined) return unique(shipped);
  const { plan, sources, rules } = await compileGiven(context, runtime);
  if (!plan.ok) return reportProblems(out, { problems: plan.problems, sources, root, cwd });
  const written = new Map([...shipped, ...rules].map((rule) => [rule.id, rule]));
  return plan.value.rules.map((rule) => written.get(rule.id) ?? rule);
}

function unique(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((rule) => [rule.id, rule])).values()];
}

function check({ out }: Context, rules: readonly Rule[], request: PolicyRequest): ExitCode {
  const explanation = explain(compilePolicy(rules), request);
  if (out.format === "json") out.document({ request, ...explanation });
  else for (const line of explanationLines(request, explanation, out.paint)) out.line(line);
  return EXIT_OF[explanation.decision.effect];
}

function test({ out }: Context, rules: readonly Rule[]): ExitCode {
  const results = rules.map((rule) => ({ rule, failures: failedExamples(rule) }));
  const failures = results.flatMap(({ rule, failures: found }) =>
    found.map((failure) => ({ rule: rule.id, ...failure })),
  );
  const examples = rules.reduce((count, rule) => count + examplesIn(rule), 0);
  if (out.format === "json") out.document({ rules: rules.length, examples, failures });
  else {
    for (const { rule, list, index, why } of failures) {
      out.line(`${out.paint.red("failed")}  ${rule} examples.${list}[${index}]: ${oneLine(why)}`);
    }
    out.line(`${countOf(examples, "example")} of ${countOf(rules.length, "rule")}, ${failures.length} failed`);
  }
  return failures.length === 0 ? EXIT.succeeded : EXIT.failed;
}

function examplesIn({ examples }: Rule): number {
  return (examples?.match?.length ?? 0) + (examples?.not?.length ?? 0);
}

function show({ out }: Context, rules: readonly Rule[]): ExitCode {
  if (out.format === "json") out.document({ rules });
  else for (const line of ruleLines(rules, out.paint)) out.line(line);
  return EXIT.succeeded;
}

import { pawlError } from "../../../base/errors.ts";
import { type Explanation, explainAll } from "../../catalogues.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { suggest } from "../../input/suggest.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderLabelled, renderTable } from "../../views/text/table.ts";

const RETRY: Readonly<Record<Explanation["retry"], string>> = {
  never: "does not help",
  safe: "is safe",
  after_change: "helps after a change",
};

export const explainCommand: CommandSpec = {
  name: "explain",
  summary: "Explain an error code: what, why, and what to do",
  details: ["`{name}` stands for a fact of the moment, such as a path."],
  arguments: [{ name: "code", summary: "an error code, such as RUN_HELD", required: false }],
  options: [{ kind: "flag", flags: "--all", summary: "every code" }],
  examples: [
    { line: "pawl explain RUN_HELD", does: "one code" },
    { line: "pawl explain --all", does: "the list of codes" },
    { line: "pawl explain --all --json", does: "everything, for programs" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  run(context) {
    const code = context.given.text("code");
    if ((code === undefined) !== context.given.flag("all")) {
      throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "explain", message: "Give either a code or --all." });
    }
    const all = explainAll();
    if (code === undefined) tellAll(context, all);
    else tellOne(context, findCode(all, code));
    return Promise.resolve(EXIT.succeeded);
  },
};

function findCode(all: readonly Explanation[], code: string): Explanation {
  const found = all.find((each) => each.code === code.toUpperCase());
  if (found === undefined) {
    const near = suggest(
      code,
      all.map((each) => each.code),
    );
    throw pawlError(CLI_ERRORS, "CLI_CODE_UNKNOWN", { code, near });
  }
  return found;
}

function tellOne({ out }: Context, found: Explanation): void {
  if (out.format === "json") out.document(found);
  out.line(out.paint.bold(found.code));
  out.line(`  ${found.what}`);
  const facts: (readonly [string, string])[] = [
    ["why", found.why],
    ["hint", found.hint],
    ["again", `Trying again ${RETRY[found.retry]}.`],
    ["exit", String(found.exit)],
  ];
  for (const line of renderLabelled(facts, out.paint.cyan)) out.line(`  ${line}`);
}

function tellAll({ out }: Context, all: readonly Explanation[]): void {
  if (out.format === "json") out.document({ errors: all });
  const rows = all.map((each) => [{ text: each.code, paint: out.paint.bold }, each.what.replaceAll("\n", " ")]);
  for (const line of renderTable({ head: [], rows }, out.columns(), out.paint.dim)) out.line(line);
}

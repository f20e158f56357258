/** docs/reference/errors.md: every error code with what, why and what to do, as `pawl explain` says it. */
import type { ProblemSpec } from "../../src/base/diagnostic.ts";
import type { Explanation } from "../../src/cli/catalogues.ts";
import type { Area } from "./catalogues.ts";
import { code, page, table } from "./markdown.ts";

const RETRY: Readonly<Record<ProblemSpec["retry"], string>> = {
  never: "Trying again does not help.",
  safe: "Trying again is safe.",
  after_change: "Try again after a change.",
};

function problemSection({ code: name, what, why, hint, retry, exit }: Explanation): string {
  return [`### ${name}`, `**${what}**`, why, `What to do: ${hint}`, `${RETRY[retry]} Exit code ${exit}.`].join("\n\n");
}

export function errorsPage(areas: readonly Area[], explanations: readonly Explanation[]): string {
  const explained = new Map(explanations.map((explanation) => [explanation.code, explanation]));
  const sections = areas.flatMap((area) => [
    `## ${area.file}`,
    ...area.codes.flatMap((name) => explained.get(name) ?? []).map(problemSection),
  ]);
  return page(
    "Errors",
    "`pawl explain CODE` prints the same. Codes are frozen: a program may depend on them. `{name}` stands for a fact of the moment.",
    table(
      ["code", "defined in"],
      areas.flatMap((area) => area.codes.map((name) => [`[${name}](#${name.toLowerCase()})`, code(area.file)])),
    ),
    ...sections,
  );
}

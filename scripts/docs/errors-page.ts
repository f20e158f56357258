/** docs/reference/errors.md: every error code with what, why and what to do. */
import type { ProblemSpec } from "../../src/base/diagnostic.ts";
import { type Area, withoutData } from "./catalogues.ts";
import { code, page, table } from "./markdown.ts";

const RETRY: Readonly<Record<ProblemSpec["retry"], string>> = {
  never: "Trying again does not help.",
  safe: "Trying again is safe.",
  after_change: "Try again after a change.",
};

function problemSection([name, spec]: [string, ProblemSpec]): string {
  const facts = `${RETRY[spec.retry]} Exit code ${spec.exit}.`;
  return [`### ${name}`, `**${withoutData(spec.what)}**`, spec.why, `What to do: ${withoutData(spec.hint)}`, facts].join("\n\n");
}

export function errorsPage(areas: readonly Area[]): string {
  const index = areas.flatMap((area) => Object.keys(area.catalogue).map((name) => [`[${name}](#${name.toLowerCase()})`, code(area.file)]));
  return page(
    "Errors",
    "`pawl explain CODE` prints the same. Codes are frozen: a program may depend on them. `{name}` stands for a fact of the moment.",
    table(["code", "defined in"], index),
    ...areas.flatMap((area) => [`## ${area.file}`, ...Object.entries(area.catalogue).map(problemSection)]),
  );
}

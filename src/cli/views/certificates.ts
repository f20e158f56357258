/** What was found about the certificates of a run, a line each. */
import type { CertificateReport } from "../../runtime/runtime.ts";
import type { Paint } from "../output.ts";
import { oneLine } from "./event-line.ts";

export function renderCertificates(reports: readonly CertificateReport[], paint: Paint): string[] {
  if (reports.length === 0) return ["no certificate: the run has not verified a tree"];
  return reports.flatMap(({ sha256, stage, checks }) => [
    `certificate sha256:${sha256}, ${stage === null ? "of the end of the run" : `handed on by ${oneLine(stage)}`}`,
    ...checks.map(
      ({ name, ok, detail }) =>
        `  ${ok ? paint.green("ok   ") : paint.red("wrong")}  ${name.padEnd(9)}  ${oneLine(detail)}`,
    ),
  ]);
}

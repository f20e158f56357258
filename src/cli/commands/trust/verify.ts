import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import type { RunQuery } from "../../../ports/store/run-index.ts";
import type { CertificateReport, Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import type { Output } from "../../output.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderCertificates } from "../../views/certificates.ts";
import { oneLine } from "../../views/event-line.ts";
import { countOf } from "../../views/text/format-time.ts";

interface Broken {
  readonly run: string;
  readonly seq: number;
  readonly problem: string;
}

export const verifyCommand: CommandSpec = {
  name: "verify",
  summary: "Check the hash chain of a journal, and the certificates of a run",
  details: [
    "Every stored event is hashed again and compared with the chain and its pinned head. The first event that does not fit is named.",
    "For one run, each of its certificates is checked too: that it is stored, that the key of this project signed it, that it is the same when it is built again from the journal, and that the vault still holds its tree.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: false }],
  options: [{ kind: "flag", flags: "--all", summary: "every run of the project, children included" }],
  examples: [
    { line: "pawl verify @last", does: "the newest run" },
    { line: "pawl verify --all", does: "the whole project" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const name = context.given.text("run");
    const all = context.given.flag("all");
    if ((name === undefined) !== all) {
      throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "verify", message: "Give either a run or --all." });
    }
    const runtime = await context.open({ readOnly: true });
    if (name === undefined) return verifyRuns(context, runtime, everyRun(runtime));
    const { run } = await runtime.find(name);
    return verifyRuns(context, runtime, [run], run);
  },
};

async function verifyRuns(
  context: Context,
  runtime: Runtime,
  runs: AsyncIterable<RunId> | Iterable<RunId>,
  certified: RunId | null = null,
): Promise<ExitCode> {
  const { out } = context;
  const broken: Broken[] = [];
  let checked = 0;
  let events = 0;
  for await (const run of runs) {
    const report = await runtime.verify(run);
    checked += 1;
    if (report.intact) {
      events += report.events;
      continue;
    }
    broken.push({ run, seq: report.seq, problem: report.problem });
    out.line(`${out.paint.red("damaged")}  ${run}  event ${report.seq}: ${oneLine(report.problem)}`);
  }
  const intact = broken.length === 0;
  // What a damaged journal says about a certificate is worth nothing.
  const proof = certified === null || !intact ? {} : { certificates: await runtime.certificates(certified) };
  if (out.format === "json") out.document({ intact, checked, events, broken, ...proof });
  const what = `${countOf(checked, "run")}, ${countOf(events, "event")}`;
  out.line(intact ? `${out.paint.green("intact")}  ${what}` : `${countOf(broken.length, "run")} of ${checked} damaged`);
  return showProof(out, proof.certificates) && intact ? EXIT.succeeded : EXIT.failed;
}

/** Whether nothing is wrong with them. */
function showProof(out: Output, certificates: readonly CertificateReport[] | undefined): boolean {
  if (certificates === undefined) return true;
  for (const line of renderCertificates(certificates, out.paint)) out.line(line);
  return certificates.every(({ ok }) => ok);
}

/** Parents before their children, those of drills last. */
async function* everyRun(runtime: Runtime): AsyncGenerator<RunId> {
  yield* runsBelow(runtime, {});
  yield* runsBelow(runtime, { drills: true });
}

/** Page by page. */
async function* runsBelow(runtime: Runtime, place: Pick<RunQuery, "parent" | "drills">): AsyncGenerator<RunId> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Runtime["list"]>> = await runtime.list({
      limit: 200,
      ...place,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const row of page.rows) {
      yield row.run;
      yield* runsBelow(runtime, { parent: row.run });
    }
    cursor = page.next;
  } while (cursor !== null);
}

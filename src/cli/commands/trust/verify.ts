import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import { formatBytes } from "../../../base/size.ts";
import type { CertificateReport, Runtime } from "../../../runtime/runtime.ts";
import type { Damage, Verified, VerifyReport } from "../../../runtime/trust/damage.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import type { Output } from "../../output.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderCertificates } from "../../views/certificates.ts";
import { oneLine } from "../../views/event-line.ts";
import { countOf } from "../../views/text/format-time.ts";

export const verifyCommand: CommandSpec = {
  name: "verify",
  summary: "Check that what is stored is complete and unchanged",
  details: [
    "Every stored event is hashed again and compared with its chain, every artifact that the journal names is read and compared with its digest, and every saved tree must still be held by the vault, unless `pawl gc` has dropped it. Each damage is a line that says what to do.",
    "The newest run and event are compared with the pin, a file beside the database, so that runs that were deleted and a database that was replaced by an older copy are noticed. With --all, the chain that links the runs is checked too, and every object of the vault is read, with the history that the trees stand on; so are the files of both stores, and the journal must mention each run that work is kept of. For one run, the objects of its own trees are read.",
    "--quick checks the chains and the pin alone, and says what it did not look at: artifacts, trees, certificates, and the files of both stores, so that it does not notice a missing loops.db. Someone who rewrites both the database and the pin is not noticed: SECURITY.md says what is.",
    "For one run, each of its certificates is checked too: that it is stored, that the key of this project signed it, that it is the same when it is built again from the journal, and that the vault still holds its tree.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: false }],
  options: [
    { kind: "flag", flags: "--all", summary: "every run of the project, children included" },
    {
      kind: "flag",
      flags: "--quick",
      summary: "only the chains and the pin: no artifact, tree, certificate or file of a store is read",
    },
  ],
  examples: [
    { line: "pawl verify @last", does: "the newest run" },
    { line: "pawl verify --all", does: "the whole project" },
    { line: "pawl verify --all --quick", does: "the events of the whole project, and nothing else" },
  ],
  exits: [0, 1, 3, 130],
  formats: ["json"],
  async run(context) {
    const { given } = context;
    const name = given.text("run");
    if ((name === undefined) !== given.flag("all")) {
      throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "verify", message: "Give either a run or --all." });
    }
    const runtime = await context.open({ readOnly: true, evenLost: true });
    const run = name === undefined ? null : (await runtime.find(name)).run;
    const found = await look(context, runtime, run);
    if (found === null) {
      context.out.note("interrupted: not everything was looked at");
      return EXIT.interrupted;
    }
    return tell(context, runtime, run, found);
  },
};

interface Found extends VerifyReport {
  /** The first of them; each was printed. */
  readonly damage: readonly Damage[];
}

/** A document has no more of them; `damaged` counts all. */
const MOST_DAMAGE = 10_000;

/** null: it was interrupted. */
async function look({ out, given, interrupts }: Context, runtime: Runtime, run: RunId | null): Promise<Found | null> {
  const signal = interrupts.untilInterrupted();
  const progress = createProgress(out);
  const damage: Damage[] = [];
  try {
    const report = await runtime.verifyStored({
      ...{ run, quick: given.flag("quick"), signal },
      onProgress: progress.show,
      onDamage(found) {
        if (damage.length < MOST_DAMAGE) damage.push(found);
        progress.clear();
        out.line(`${out.paint.red("damaged")}  ${damageLine(found)}`);
      },
    });
    return { ...report, damage };
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  } finally {
    progress.clear();
  }
}

function damageLine({ run, stage, attempt, seq, problem, hint }: Damage): string {
  const place = stage === null ? [] : [attempt === null ? stage : `${stage}, attempt ${attempt}`];
  if (seq !== null) place.push(`event ${seq}:`);
  const where = [...(run === null ? [] : [run]), ...place].map(oneLine).join("  ");
  return `${where}${where === "" ? "" : "  "}${oneLine(problem)}; ${oneLine(hint)}`;
}

async function tell(context: Context, runtime: Runtime, run: RunId | null, found: Found): Promise<ExitCode> {
  const { out, given } = context;
  const { verified, damage, damaged, isChained } = found;
  const quick = given.flag("quick");
  const intact = damaged === 0;
  const broken = damage.flatMap(({ run: of, seq, problem }) => (seq === null ? [] : [{ run: of, seq, problem }]));
  // What a damaged journal says about a certificate is worth nothing.
  const proof = run === null || quick || broken.length > 0 ? {} : { certificates: await runtime.certificates(run) };
  if (out.format === "json") {
    const { runs: checked, ...counts } = verified;
    const stores = run === null ? ["stores"] : [];
    const looked = quick ? ["events", "runs"] : ["events", "runs", "artifacts", "trees", ...stores];
    out.document({ intact, quick, looked, checked, ...counts, isChained, damaged, damage, broken, ...proof });
  }
  out.line(
    intact
      ? `${out.paint.green("intact")}  ${countsLine(verified, quick)}`
      : `${damaged} damaged of ${countsLine(verified, quick)}`,
  );
  for (const note of notesOf(found, quick)) out.line(note);
  return showProof(out, proof.certificates) && intact ? EXIT.succeeded : EXIT.failed;
}

function countsLine({ runs, events, artifacts, trees, objects }: Verified, quick: boolean): string {
  const counted = [countOf(runs, "run"), countOf(events, "event")];
  return (
    quick ? counted : [...counted, countOf(artifacts, "artifact"), countOf(trees, "tree"), countOf(objects, "object")]
  ).join(", ");
}

/** What was not looked at, and what nobody can know. */
function notesOf({ verified, isChained }: Found, quick: boolean): readonly string[] {
  const { droppedTrees, unknownTrees, unmentionedRuns } = verified;
  const notes: string[] = [];
  if (quick)
    notes.push(
      "only the chains and the pin were checked; artifacts, trees, certificates and the files of both stores (pawl.db, loops.db) were not looked at",
    );
  if (!isChained)
    notes.push("the journal is of an earlier version: nothing tells whether runs are missing until it is next written");
  if (droppedTrees > 0) notes.push(`${countOf(droppedTrees, "tree")} dropped by gc`);
  if (unmentionedRuns > 0)
    notes.push(
      `work is kept of ${countOf(unmentionedRuns, "run")} that the journal does not mention: \`pawl recover\` shows it`,
    );
  if (unknownTrees > 0)
    notes.push(
      `${countOf(unknownTrees, "tree")} of an earlier version not there: dropped by gc or lost, which was not recorded then`,
    );
  return notes;
}

/** Whether nothing is wrong with them. */
function showProof(out: Output, certificates: readonly CertificateReport[] | undefined): boolean {
  if (certificates === undefined) return true;
  for (const line of renderCertificates(certificates, out.paint)) out.line(line);
  return certificates.every(({ ok }) => ok);
}

const EVERY_MS = 200;
const CLEAR = "\r\u001b[K";

/** One line on a terminal that is written again and again. */
function createProgress(out: Output): { show(verified: Verified, of: number): void; clear(): void } {
  let last = 0;
  return {
    show(verified, of) {
      const now = performance.now();
      if (!out.live || now - last < EVERY_MS) return;
      last = now;
      const { runs, events, artifacts, artifactBytes } = verified;
      const text = `${runs} of ${of} runs, ${events} events, ${artifacts} artifacts (${formatBytes(artifactBytes)})`;
      out.write(`${CLEAR}${text.slice(0, out.columns() - 1)}`);
    },
    clear() {
      if (out.live && last > 0) out.write(CLEAR);
    },
  };
}

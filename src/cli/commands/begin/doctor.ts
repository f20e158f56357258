import { EXIT } from "../../exit-codes.ts";
import { type NextWake, nextWakes } from "../../runs/next-wakes.ts";
import type { CommandSpec } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { padText } from "../../views/text/text-width.ts";

export const doctorCommand: CommandSpec = {
  name: "doctor",
  summary: "Check that this machine and project are ready",
  details: [
    "Looks only and changes nothing, except with --accept-loss.",
    "Of each loop of pawl.yaml: whether it could run, and when it is due next as `pawl serve` has stored it (`next` in JSON).",
  ],
  arguments: [{ name: "workspace", summary: "an openloop workspace to check too", required: false }],
  options: [
    {
      kind: "flag",
      flags: "--accept-loss",
      summary:
        "go on with a journal, or with queues and schedules, that have lost what was stored last (JOURNAL_WAL_MISSING)",
    },
  ],
  examples: [
    { line: "pawl doctor", does: "check this project" },
    { line: "pawl doctor .openloop/demo", does: "an openloop workspace too" },
    { line: "pawl doctor -C ../other --json", does: "check another one, as JSON" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out } = context;
    const acceptLoss = context.given.flag("accept-loss");
    const runtime = await context.open({ readOnly: !acceptLoss, acceptLoss, evenLost: true });
    const workspace = context.given.text("workspace");
    const more =
      workspace === undefined
        ? []
        : await (await import("../../openloop/doctor.ts")).workspaceChecks(context, runtime, workspace);
    const checks = [...(await runtime.doctor()), ...more];
    const ready = checks.every((check) => check.status !== "fail");
    if (out.format === "json")
      out.document({ ready, root: context.root, checks, next: await readableWakes(context.root) });
    const width = Math.max(0, ...checks.map((check) => check.name.length));
    const color = { ok: out.paint.green, warn: out.paint.yellow, fail: out.paint.red };
    for (const check of checks) {
      out.line(
        `${color[check.status](check.status.padEnd(4))}  ${padText(oneLine(check.name), width)}  ${oneLine(check.detail)}`,
      );
      if (check.hint !== null) out.line(`${" ".repeat(width + 8)}${out.paint.cyan(oneLine(check.hint))}`);
    }
    out.line();
    out.line(ready ? "Ready." : "Not ready: see the lines that say fail.");
    return ready ? EXIT.succeeded : EXIT.failed;
  },
};

/** A store that cannot be read is one of the checks. */
async function readableWakes(root: string): Promise<readonly NextWake[]> {
  return nextWakes(root).catch(() => []);
}

import { pawlError } from "../../../base/errors.ts";
import type { JsonValue } from "../../../base/json.ts";
import type { BreakerPage, BreakerRow } from "../../../ports/store/breakers.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { suggest } from "../../input/suggest.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderBreakers } from "../../views/money/breakers.ts";

export const breakersCommand: CommandSpec = {
  name: "breakers",
  summary: "Show what is left alone because it failed or its quota is used up, and let it be tried again",
  details: [
    "A breaker stands before everything that leaves the machine: `action:git.push`, `loop:NAME`, `model:PROVIDER/MODEL`, `quota:VENDOR`. It opens after failures in a row, or is parked until a quota comes back; then exactly one trial goes through, which closes it or opens it again.",
    "`reset` closes one at once, because you know that its target is well again. Nothing else is started by that: a run that rests goes on when its time comes, or with `pawl resume RUN --now`.",
  ],
  arguments: [
    { name: "what", summary: "reset; nothing: show those that are not closed", required: false },
    { name: "target", summary: "with reset: the target, as it is shown", required: false },
  ],
  options: [{ kind: "flag", flags: "--all", summary: "those that are closed again, too" }],
  examples: [
    { line: "pawl breakers", does: "what is left alone now, since when, and when it is tried again" },
    { line: "pawl breakers reset model:anthropic/claude-sonnet-5", does: "let calls to the model through at once" },
    { line: "pawl breakers --all --json | jq '.breakers[] | {target, phase, until}'", does: "for a script" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { given } = context;
    const [what, target] = [given.text("what"), given.text("target")];
    if (what === undefined) return show(context);
    if (what === "reset" && target !== undefined && !given.flag("all")) return reset(context, target);
    const message = "Say nothing, or `reset` and a target as `pawl breakers --all` shows it.";
    throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "breakers", message });
  },
};

async function show(context: Context): Promise<ExitCode> {
  const { out, given, now } = context;
  const runtime = await context.open({ readOnly: true });
  const all = await allBreakers(runtime, now());
  const shown = given.flag("all") ? all : all.filter(({ phase }) => phase !== "closed");
  if (out.format === "json") out.document({ breakers: shown as unknown as JsonValue });
  else if (shown.length === 0) out.line("every breaker is closed: nothing is left alone");
  else {
    const view = { now: now(), columns: out.columns(), paint: out.paint };
    for (const line of renderBreakers(shown, view)) out.line(line);
    out.line("");
    out.line("Let one be tried again at once: pawl breakers reset TARGET");
  }
  return EXIT.succeeded;
}

async function reset(context: Context, target: string): Promise<ExitCode> {
  const { out, isInStage, by } = context;
  if (isInStage) throw pawlError(CLI_ERRORS, "CLI_BREAKER_RESET_REFUSED", { by });
  const runtime = await context.open({ readOnly: false });
  const known = (await allBreakers(runtime, context.now())).map((each) => each.target);
  if (!known.includes(target))
    throw pawlError(CLI_ERRORS, "CLI_BREAKER_UNKNOWN", { target, near: suggest(target, known) });
  const wasOpen = await runtime.resetBreaker(target);
  if (out.format === "json") out.document({ target, wasOpen });
  else out.line(wasOpen ? `${target} is closed: calls go through from now on` : `${target} was closed already`);
  return EXIT.succeeded;
}

const PAGE = 200;

async function allBreakers(runtime: Pick<Runtime, "breakers">, at: number): Promise<readonly BreakerRow[]> {
  const found: BreakerRow[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: BreakerPage = await runtime.breakers({ at, limit: PAGE, cursor });
    found.push(...page.breakers);
    cursor = page.next;
  }
  return found;
}

import { resolve } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import type { GatewaySession, SessionOptions } from "../../../runtime/models/gateway-session.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { readDollars, readTokens } from "../../input/amounts.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { type Budget, callLine, openingLines, summaryLines } from "../../views/models/gateway.ts";

export const gatewayCommand: CommandSpec = {
  name: "gateway",
  summary: "Stand in front of any agent: meter its model calls and stop it at a budget",
  details: [
    "Listens on loopback and prints the variables to start an agent with. The agent gets a token, never a key; keys are",
    "read from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY) or from keys.json in the folder of your",
    "configuration. At the budget a call is refused with 402, at which agents stop. Ctrl-C ends it and prints what was spent.",
  ],
  arguments: [],
  options: [
    { kind: "count", flags: "--port <port>", summary: "port on loopback (any that is free)", min: 1 },
    { kind: "text", flags: "--usd <amount>", summary: "most money, such as 5 or 0.50 (not limited)" },
    { kind: "text", flags: "--tokens <count>", summary: "most tokens, such as 200k or 1m (not limited)" },
    { kind: "count", flags: "--calls <n>", summary: "most calls (not limited)", min: 1 },
    { kind: "text", flags: "--record <folder>", summary: "keep all that passes in a new folder, secrets masked" },
    { kind: "text", flags: "--replay <record>", summary: "answer from such a folder, or the model-traffic of a stage" },
    { kind: "list", flags: "--upstream <provider=url>", summary: "another address of anthropic, openai or google" },
  ],
  examples: [
    { line: "pawl gateway --usd 5", does: "a budget of five dollars for whoever uses it" },
    { line: "pawl gateway --usd 1 --record traffic", does: "keep every request and answer" },
    { line: "pawl gateway --replay traffic", does: "answer the same again, for free" },
  ],
  exits: [0, 1, 3],
  formats: ["json", "jsonl"],
  async run(context) {
    const { out } = context;
    const options = readOptions(context);
    const { openGateway } = await import("../../../runtime/wire.ts");
    const until = context.interrupts.untilInterrupted();
    const budget: Budget = { microUsd: options.microUsd, tokens: options.tokens };
    let session: GatewaySession | null = null;
    session = await openGateway(context.root, {
      ...options,
      onCall: (report) => {
        const use = session?.use();
        if (out.format === "jsonl") out.document({ type: "call", ...report });
        else if (use !== undefined) out.line(callLine(report, use, budget, out.paint));
      },
    });
    const { url, variables, keyed } = session;
    if (out.format === "jsonl") out.document({ type: "ready", url, variables, providers: keyed });
    for (const line of openingLines({ url, variables, keyed }, budget, out.paint)) out.line(line);
    await ended(until, out.gone);
    const use = await session.close();
    if (out.format === "jsonl") out.document({ type: "ended", ...use });
    if (out.format === "json") out.document({ url, providers: keyed, ...use });
    for (const line of summaryLines(use, budget, out.paint)) out.line(line);
    const exit: ExitCode = use.missed > 0 ? EXIT.failed : EXIT.succeeded;
    return exit;
  },
};

function readOptions({ given, cwd }: Context): Omit<SessionOptions, "onCall"> {
  const record = given.text("record");
  const replay = given.text("replay");
  if (record !== undefined && replay !== undefined) throw usage("--record and --replay exclude each other.");
  const port = given.count("port") ?? 0;
  if (port > 65_535) throw usage("--port is at most 65535.");
  const folder = record ?? replay;
  return {
    port,
    tokens: amount(given.text("tokens"), readTokens, "--tokens takes a whole number such as 200000, 200k or 1m."),
    microUsd: amount(given.text("usd"), readDollars, "--usd takes dollars such as 5 or 0.50."),
    calls: given.count("calls") ?? null,
    traffic:
      folder === undefined ? null : { kind: record === undefined ? "replay" : "record", folder: resolve(cwd, folder) },
    upstreams: Object.fromEntries(given.list("upstream").map(readUpstream)),
  };
}

function amount(text: string | undefined, read: (text: string) => number | null, problem: string): number | null {
  if (text === undefined) return null;
  const value = read(text);
  if (value === null) throw usage(problem);
  return value;
}

function readUpstream(text: string): readonly [string, string] {
  const [, provider, url] = /^([a-z]+)=(\S+)$/.exec(text) ?? [];
  if (provider === undefined || url === undefined) throw usage(`--upstream takes provider=url, not ${text}.`);
  return [provider, url];
}

function usage(message: string): Error {
  return pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "gateway", message });
}

function ended(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }
  });
}

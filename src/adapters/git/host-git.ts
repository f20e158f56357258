/**
 * Git on the host. It is given only repositories that no stage could write: the user's own and the vault. Nothing outside
 * the repository configures it, it runs no hook, asks nobody, and reaches no network.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { pawlError } from "../../base/errors.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";
import { errnoOf, gitFailure } from "./failures.ts";
import { NEVER, onAbort, throwIfAborted } from "./interrupt.ts";

export type GitChild = ChildProcessByStdio<Writable, Readable, Readable>;

export interface GitCall {
  readonly args: readonly string[];
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard output beyond this is dropped. */
  readonly maxBytes?: number;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly truncated: boolean;
}

export interface HostGit {
  /** Kills every git that was started through this object. */
  readonly signal: AbortSignal;
  /** The same git under another signal. */
  under(signal: AbortSignal): HostGit;
  /** Resolves whatever the exit code is. */
  run(call: GitCall): Promise<GitResult>;
  /** Standard output; rejects when git fails. */
  ask(doing: string, call: GitCall): Promise<Buffer>;
  start(call: GitCall): GitChild;
  /** Writes standard output into a stream and ends it; rejects when git fails. */
  pour(doing: string, call: GitCall, sink: Writable): Promise<void>;
}

export const STANDARD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** For every git that Pawl starts, on either side of the wall. */
export const QUIET_ENV: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_ADVICE: "0",
};

/** Stands above what the repository itself says. */
const OVERRIDES = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.commitGraph=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.allow=never",
  "protocol.file.allow=always",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "pack.writeReverseIndex=false",
];

const MOST_STDERR = 64 << 10;
const MOST_STDOUT = 1 << 30;

export function createHostGit(options: {
  readonly program: string;
  readonly path: string;
  readonly home: string;
  readonly signal?: AbortSignal;
}): HostGit {
  const { program, path, home, signal = NEVER } = options;
  const overrides = OVERRIDES.flatMap((setting) => ["-c", setting]);

  const start = (call: GitCall): GitChild => {
    const child = spawn(program, [...overrides, ...call.args], {
      cwd: call.cwd ?? "/",
      env: { PATH: path, HOME: home, ...QUIET_ENV, GIT_OPTIONAL_LOCKS: "0", ...call.env },
      // A key pressed in the terminal of the host must not cut off a save.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.once(
      "close",
      onAbort(signal, () => killGroup(child)),
    );
    return child;
  };

  const run = async (call: GitCall): Promise<GitResult> => {
    const child = start(call);
    const out = collect(child.stdout, call.maxBytes ?? MOST_STDOUT);
    const err = collect(child.stderr, MOST_STDERR);
    // Git may end before it has read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(call.input ?? "");
    const code = await ended(child, program);
    throwIfAborted(signal, "Git");
    const stdout = await out;
    return { code, stdout: stdout.bytes, truncated: stdout.truncated, stderr: (await err).bytes.toString() };
  };

  return {
    signal,
    under: (next) => createHostGit({ ...options, signal: next }),
    start,
    run,
    async pour(doing, call, sink) {
      const child = start(call);
      const err = collect(child.stderr, MOST_STDERR);
      child.stdin.on("error", () => undefined);
      child.stdin.end(call.input ?? "");
      child.stdout.pipe(sink);
      if ((await ended(child, program)) !== 0)
        throw gitFailure(doing, call.cwd ?? "the vault", (await err).bytes.toString());
    },
    async ask(doing, call) {
      const { code, stdout, stderr, truncated } = await run(call);
      if (code !== 0 || truncated)
        throw gitFailure(doing, call.cwd ?? "the vault", truncated ? "fatal: too much output" : stderr);
      return stdout;
    },
  };
}

/** Git and what it has started: it leads a group of its own. */
export function killGroup(child: GitChild): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended in this moment.
  }
}

/** The exit code of a started git; rejects when it could not be started. */
export async function ended(child: GitChild, program: string): Promise<number> {
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    return signal === null ? (code ?? 1) : 128;
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "EACCES")
      throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_GIT_MISSING", { program }, { cause: error });
    throw error;
  }
}

/** Reads a stream to its end and keeps the first `maxBytes`. */
export async function collect(
  stream: Readable,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const room = maxBytes - size;
    if (chunk.length > room) truncated = true;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    size += chunk.length;
  }
  return { bytes: Buffer.concat(chunks), truncated };
}

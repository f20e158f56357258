/** Runs a program behind a wall as its port asks: the byte, the word, the end, the clearing away. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { createBubblewrapSandbox } from "../../src/adapters/sandbox/sandbox.ts";
import type { Egress } from "../../src/ports/egress.ts";
import type { EnclosedProgram, Enclosure, Sandbox } from "../../src/ports/sandbox.ts";
import type { RefusedHost } from "../../src/run/events.ts";

export interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The wall stood. */
  readonly wasReady: boolean;
  readonly refused: readonly RefusedHost[];
}

export function bubblewrap(change: Partial<Parameters<typeof createBubblewrapSandbox>[0]> = {}): Sandbox {
  return createBubblewrapSandbox({
    readable: [],
    path: process.env["PATH"] ?? "",
    nodeProgram: process.execPath,
    patienceMs: 20_000,
    ...change,
  });
}

let count = 0;

export function programOf(argv: readonly string[], change: Partial<EnclosedProgram> = {}): EnclosedProgram {
  count += 1;
  return {
    key: `sandbox-test-${process.pid}-${count}`,
    argv,
    env: {},
    cwd: "/tmp",
    mounts: [],
    sealed: [],
    network: [],
    fileBytes: null,
    ...change,
  };
}

/** Runs it to its end. `word` is what it is told when the wall stands; null: the descriptor is closed instead. */
export async function runEnclosed(
  sandbox: Sandbox,
  program: EnclosedProgram,
  word: string | null = "go\n",
): Promise<Outcome> {
  const enclosure = await sandbox.enclose(program);
  const ended = await follow(start(enclosure), word);
  return { ...ended, refused: await enclosure.close() };
}

/** The usual case: a script in a folder that it may write. */
export function runScript(
  sandbox: Sandbox,
  folder: string,
  script: string,
  change: Partial<EnclosedProgram> = {},
): Promise<Outcome> {
  const mounts = [{ from: folder, to: "/workspace", access: "write" as const }];
  return runEnclosed(sandbox, programOf(["/bin/sh", "-c", script], { mounts, cwd: "/workspace", ...change }));
}

type Started = ReturnType<typeof start>;

export function start(enclosure: Enclosure) {
  return spawn(enclosure.argv[0] as string, enclosure.argv.slice(1), {
    env: enclosure.env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
}

export async function follow(child: Started, word: string | null): Promise<Omit<Outcome, "refused">> {
  const [, stdout, stderr, line] = child.stdio as unknown as readonly [null, Readable, Readable, Duplex];
  const heard = { stdout: "", stderr: "", wasReady: false };
  stdout.setEncoding("utf8").on("data", (text: string) => {
    heard.stdout += text;
  });
  stderr.setEncoding("utf8").on("data", (text: string) => {
    heard.stderr += text;
  });
  line.on("error", () => undefined);
  line.once("data", () => {
    heard.wasReady = true;
    if (word === null) line.destroy();
    else line.write(word);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { code, signal, ...heard };
}

/** A way out that gives back in capitals what it is sent, and says it refused one host. */
export function echoEgress(folder: string): Egress & { readonly asked: string[][]; readonly doors: Set<Server> } {
  const asked: string[][] = [];
  const doors = new Set<Server>();
  return {
    asked,
    doors,
    open: async (hosts) => {
      asked.push([...hosts]);
      const socketPath = join(folder, `door-${asked.length}.sock`);
      const server = createServer((socket) => {
        socket.on("error", () => undefined);
        socket.setEncoding("utf8").on("data", (text: string) => socket.write(text.toUpperCase()));
        socket.on("end", () => socket.end());
      });
      server.listen(socketPath);
      await once(server, "listening");
      doors.add(server);
      return {
        socketPath,
        close: async () => {
          if (doors.delete(server)) server.close();
          return [{ host: "refused.example", port: 443, why: "not listed", times: 1 }];
        },
      };
    },
  };
}

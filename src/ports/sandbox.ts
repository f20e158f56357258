/** Sandbox: builds the wall around a process. What it cannot enforce it refuses; there is no wall with holes. */
import type { RefusedHost } from "../run/events.ts";

/** Where a process finds things behind the wall; nothing there tells where they are on this machine. */
export const BEHIND = {
  workspace: "/workspace",
  inputs: "/run/pawl/inputs",
  /** Objects of the repository that a private clone borrows. */
  objects: "/run/pawl/objects",
  home: "/home/pawl",
  /** Where a program that may call models finds the gateway, on loopback. */
  modelsPort: 3129,
} as const;

export interface Mount {
  /** On this machine, absolute. */
  readonly from: string;
  /** Behind the wall, absolute. */
  readonly to: string;
  readonly access: "read" | "write";
  /** It is ours: empty folders that the wall needs in it may stay there. Making and removing them costs more than the wall. */
  readonly keepsPlaces?: true;
}

export interface EnclosedProgram {
  /** Names the process, so that it can be found by whoever outlives its host. */
  readonly key: string;
  readonly argv: readonly string[];
  /** Its whole environment, but for what the wall itself must set: PATH, HOME, TMPDIR, USER and proxies. */
  readonly env: Readonly<Record<string, string>>;
  /** Working folder behind the wall. */
  readonly cwd: string;
  /** In this order; a later one lies over an earlier one. */
  readonly mounts: readonly Mount[];
  /** Paths behind the wall that cannot be written, created or replaced, whether they exist or not. */
  readonly sealed: readonly string[];
  /** Hosts it may reach: `host`, `host:port`, `*.host`; none: there is no network at all. */
  readonly network: readonly string[];
  /** Socket of the gateway for models on this machine; without it the program reaches none. */
  readonly modelSocket?: string;
  /** Size of one file it writes; null: not limited. */
  readonly fileBytes: number | null;
}

/**
 * What to start on this machine to get the program behind its wall. Descriptor 3 of that process must be a socket: it
 * writes one byte there when the wall stands, and begins the program only when it then reads a line. When the
 * descriptor closes first, the program never begins. When it ends without that byte, the wall could not be built and
 * its standard error says why. Its exit code is that of the program, or 128 + the signal that ended it.
 */
export interface Enclosure {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Clears away what the wall needed, once the process is gone. Resolves to the hosts it was refused. */
  close(): Promise<readonly RefusedHost[]>;
}

export interface SandboxReport {
  /** null: it can be built here. */
  readonly missing: string | null;
  readonly hint: string | null;
  /** What builds it, such as `bubblewrap 0.8.0`. */
  readonly name: string;
}

export interface Sandbox {
  /** Whether a wall can be built on this machine: tried, not guessed. */
  check(): Promise<SandboxReport>;
  /** Rejects with SANDBOX_UNAVAILABLE or SANDBOX_PATH_UNFIT: then nothing was started. */
  enclose(program: EnclosedProgram): Promise<Enclosure>;
}

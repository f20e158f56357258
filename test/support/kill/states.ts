/** Twelve states in which a run can be when somebody kills it: what it does, when it is there, and how it is killed. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { loadDriver } from "../../../src/adapters/sqlite/driver.ts";
import type { CliProcess, Project } from "../cli.ts";
import { git } from "../git-project.ts";

export interface Place {
  readonly project: Project;
  /** Every effect is written here, with its time. */
  readonly witness: string;
  readonly mark: string;
}

export interface KillState {
  readonly blueprint: (place: Pick<Place, "witness" | "mark">) => string;
  readonly child?: (place: Pick<Place, "witness" | "mark">) => string;
  /** Its processes write to the witness until they are ended. */
  readonly isBusy: boolean;
  /** The run rests and nobody hosts it. */
  readonly rests?: true;
  readonly args?: readonly string[];
  /** Makes what the run needs; resolves to what is cleared away afterwards. */
  prepare?(place: Place): Promise<() => void>;
  /** Called when the run is in its state, right before the kill. Resolves to what undoes it when the processes are gone. */
  hamper?(place: Place, running: CliProcess): Promise<() => void>;
  /** By whom it is killed: the command line, or nobody but a file. */
  readonly by?: "flag file";
}

type Told = Pick<Place, "witness" | "mark">;
const HEAD = `version: 1
name: victim
policy: { allow: [{ run: ["perl", "**"] }, { action: "git.*" }], ask: [{ run: ["ask", "**"] }] }
`;
const command = (manner: string, { mark }: Told, more = ""): string =>
  `command: ["perl", "work.pl", "${manner}", "witness.log", "${mark}"], timeout: 10m, env: { KILL_MARK: "${mark}" }${more}`;
const one =
  (manner: string, more = "") =>
  (told: Told): string =>
    `${HEAD}stages:\n  - { id: work, ${command(manner, told, more)} }\n  - { id: after, ${command("stream", told)} }\n`;
/** A change, a gate that passes it, a commit; then what leaves the machine. */
const propose = (last: string): string => `version: 1
name: victim
policy: { allow: [{ run: ["**"] }, { action: "git.*" }] }
stages:
  - { id: fix, command: [cp, good.txt, src.txt] }
  - { id: check, gate: { command: [cmp, good.txt, src.txt] } }
  - { id: commit, level: L2, action: git.commit, with: { message: "Make it good" } }
  - { id: leave, level: L2, timeout: 10m, ${last} }
`;
const LEVEL = ["--level", "L2", "--unearned", "a test"];

export const STATES: Readonly<Record<string, KillState>> = {
  "a command that ignores every signal": { blueprint: one("deaf"), isBusy: true },
  "a command that is stopped, with a child that is stopped": { blueprint: one("stopped"), isBusy: true },
  "a grandchild that escaped into a session of its own": { blueprint: one("escaped"), isBusy: true },
  "a gate that judges": {
    blueprint: (told) =>
      `${HEAD}stages:\n  - { id: work, gate: { ${command("stream", told).replace(/, timeout.*/, "")} }, timeout: 10m, env: { KILL_MARK: "${told.mark}" } }\n`,
    isBusy: true,
  },
  "a question that nobody has answered": {
    blueprint: (told) =>
      `${HEAD}stages:\n  - { id: ask, command: ["ask", "it"] }\n  - { id: after, ${command("stream", told)} }\n`,
    isBusy: false,
    rests: true,
  },
  "the wait before another attempt": {
    blueprint: one("fails", ", effect: idempotent, max_attempts: 5, backoff: { first: 700ms, factor: 1 }"),
    isBusy: false,
  },
  "a request to another machine": {
    blueprint: () => propose(`action: git.pr, with: { title: "Good", body: "Good" }`),
    isBusy: false,
    args: LEVEL,
    prepare: slowServer,
  },
  "a push whose other side takes its time": {
    blueprint: () => propose("action: git.push"),
    isBusy: true,
    args: LEVEL,
    prepare: slowRemote,
  },
  "parallel stages, one of them a child run": {
    blueprint: (told) => `${HEAD}stages:
  - id: all
    group:
      parallel:
        - { id: one, ${command("stream", told)} }
        - { id: two, ${command("escaped", told)} }
        - { id: child, run: { blueprint: ./child.yaml }, timeout: 10m }
`,
    child: one("stream"),
    isBusy: true,
  },
  "a journal that another process keeps busy": { blueprint: one("stream"), isBusy: true, hamper: busyJournal },
  "a host that hangs": {
    blueprint: one("escaped"),
    isBusy: true,
    async hamper(_place, { child }) {
      child.kill("SIGSTOP");
      return () => undefined;
    },
  },
  "a stream of output, by a file and nothing else": { blueprint: one("stream"), isBusy: true, by: "flag file" },
};

/** A remote on this machine whose hook works for a long time, and then lets the push through. */
async function slowRemote({ project, witness, mark }: Place): Promise<() => void> {
  const remote = join(project.root, "..", `${mark}.git`);
  git(project.root, "init", "--quiet", "--bare", remote);
  git(project.root, "remote", "add", "origin", remote);
  mkdirSync(join(remote, "hooks"), { recursive: true });
  const work = `perl -MTime::HiRes=time,sleep -e 'for (1..6000) { open my $f, ">>", $ARGV[0]; printf $f "%.3f hook\\n", time*1000; close $f; sleep 0.01 }' '${witness}' '${mark}'`;
  writeFileSync(join(remote, "hooks", "pre-receive"), `#!/bin/sh\n${work}\n`, { mode: 0o755 });
  return () => undefined;
}

/** A GitHub that takes requests and never answers. */
async function slowServer({ project, witness }: Place): Promise<() => void> {
  const server: Server = createServer(() => writeFileSync(witness, `${Date.now()} request\n`, { flag: "a" }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.env["GITHUB_API_URL"] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  project.env["GITHUB_TOKEN"] = "ghp_canary0123456789";
  git(project.root, "remote", "add", "origin", "https://github.com/ann/project.git");
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

async function busyJournal({ project }: Place): Promise<() => void> {
  const db = (await loadDriver()).open(join(project.root, ".pawl/pawl.db"), { timeout: 1000 });
  db.exec("BEGIN IMMEDIATE");
  return () => {
    db.exec("ROLLBACK");
    db.close();
  };
}

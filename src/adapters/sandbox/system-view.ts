/** What of this machine a wall shows: programs and libraries, a few files of /etc, never a home or anybody's keys. */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { SANDBOX_ERRORS } from "../../ports/errors/sandbox-errors.ts";
import type { SystemView } from "./wall.ts";
import { isWithin } from "./within.ts";

export interface Visible {
  /** Where Node is, absolute. */
  readonly nodeProgram: string;
  /** Paths to show besides. */
  readonly readable: readonly string[];
  /** PATH of this process. */
  readonly path: string;
}

const TOP = ["/bin", "/sbin", "/lib", "/lib32", "/libx32", "/lib64"];

/** The folders of certificates, not those of the keys beside them. */
const ETC = [
  "alternatives",
  "ca-certificates",
  "crypto-policies",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "os-release",
  "pki/ca-trust/extracted",
  "pki/tls/cert.pem",
  "pki/tls/certs",
  "protocols",
  "services",
  "ssl/cert.pem",
  "ssl/certs",
  "ssl/openssl.cnf",
];

/**
 * For a user who is root here, permissions alone do not keep a program without any capability from writing to these:
 * it is still the owner of the files.
 */
const PROC_READ_ONLY = ["acpi", "asound", "bus", "fs", "irq", "scsi", "sys"];
const PROC_HIDDEN = ["kcore", "keys", "latency_stats", "mtrr", "sched_debug", "sysrq-trigger", "timer_list"];

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Throws SANDBOX_PATH_UNFIT for a path that may not or cannot be shown. */
export function readSystemView(visible: Visible): SystemView {
  for (const path of visible.readable) checkReadable(path);
  const links: { target: string; path: string }[] = [{ target: "../tmp", path: "/var/tmp" }];
  const placed: { from: string; to: string }[] = [];
  const shown = ["/usr", ...outside(["/usr"], [nodeFolder(visible.nodeProgram), ...visible.readable])];
  const place = (path: string): void => {
    const real = existsSync(path) ? realpathSync(path) : undefined;
    if (real === undefined) return;
    if (isWithin(shown, real) && isLink(path)) links.push({ target: real, path });
    else placed.push({ from: real, to: path });
  };
  for (const path of TOP) place(path);
  for (const name of ETC) place(`/etc/${name}`);
  const proc = (names: readonly string[]): readonly string[] =>
    names.map((name) => `/proc/${name}`).filter((path) => existsSync(path));
  return {
    shown,
    placed,
    links,
    procReadOnly: proc(PROC_READ_ONLY),
    procHidden: proc(PROC_HIDDEN),
    path: pathWithin(visible.path, [...shown, ...TOP.filter((path) => existsSync(path))]),
  };
}

/** Neither these nor what holds one of them: keys, other runs and the wall's own places lie there. */
function neverShown(): readonly string[] {
  return ["/dev", "/etc", "/proc", "/root", "/run", "/sys", "/tmp", userInfo().homedir];
}

function checkReadable(path: string): void {
  const unfit = (problem: string): Error => pawlError(SANDBOX_ERRORS, "SANDBOX_PATH_UNFIT", { path, problem });
  if (!isAbsolute(path) || normalize(path) !== path || (path !== "/" && path.endsWith("/")) || path.includes("\0"))
    throw unfit("it is not a plain absolute path");
  if (!existsSync(path)) throw unfit("it does not exist");
  const real = realpathSync(path);
  const secret = neverShown().find((folder) => isWithin([path, real], folder));
  if (secret !== undefined) throw unfit(`${secret} is never shown to a program`);
  if (isWithin(["/dev", "/proc", "/sys"], path)) throw unfit("the wall has its own there");
}

/** Those that are not in one of the folders, each once, without what lies in another of them. */
function outside(folders: readonly string[], paths: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const path of [...paths].sort()) if (!isWithin([...folders, ...found], path)) found.push(path);
  return found;
}

/**
 * Where Node was installed, when it has a folder of its own: `prefix/bin/node` with its libraries beside it. Otherwise
 * the program alone: what lies around it may be anything, a home too.
 */
function nodeFolder(program: string): string {
  const prefix = dirname(dirname(program));
  const home = userInfo().homedir;
  const isOwn =
    basename(dirname(program)) === "bin" &&
    dirname(prefix) !== prefix &&
    !isWithin([prefix], home) &&
    existsSync(join(prefix, "lib", "node_modules")) &&
    existsSync(join(prefix, "include", "node"));
  return isOwn ? prefix : program;
}

function pathWithin(path: string, folders: readonly string[]): string {
  const entries = path
    .split(":")
    .filter((entry) => isAbsolute(entry) && normalize(entry) === entry && isWithin(folders, entry));
  return entries.length === 0 ? DEFAULT_PATH : [...new Set(entries)].join(":");
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}

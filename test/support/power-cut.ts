/**
 * A power cut, simulated: a writer on a file system of its own, on a loop device. Bytes that were not synced have not reached
 * the device, so a copy of the device is the disk as a cut would leave it. A cache inside the device is not simulated.
 *
 *   writer ── ext4 ── page cache ──sync──▶ loop device = image file ──copy at the cut──▶ other loop device ── witness
 *
 * Writer and witness mount inside a mount namespace of their own, which ends with them, as they end with their parent: however
 * a test ends, the kernel takes down the mount and frees the device.
 */
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** `appends`: events straight into a journal, as fast as it takes them. `runs`: real runs with processes, files and artifacts. */
export type Work = "appends" | "runs";

export interface CutOptions {
  readonly work: Work;
  /** `normal` takes the durability away from the writer's connection, to see whether a loss is found. */
  readonly sync: "full" | "normal";
  /** The cut comes at a random instant after a random number of acknowledgements up to this. */
  readonly mostBefore: number;
}

/** What the witness found on the disk. */
export interface Testimony {
  readonly events: readonly string[];
  readonly problems: readonly string[];
  /** Runs that had not ended, and were resumed. */
  readonly resumed: number;
}

export interface CutReport {
  readonly acknowledged: number;
  /** Acknowledged events that are not there, or not byte for byte. */
  readonly lost: readonly string[];
  readonly problems: readonly string[];
  readonly stored: number;
  readonly resumed: number;
}

const IMAGE_BYTES = 48 * 1024 * 1024;
/** More than a writer says before its cut, and less than fits on the disk. */
const MOST_EVENTS = 3000;
const WRITER = fileURLToPath(new URL("./power-cut-writer.ts", import.meta.url));
const WITNESS = fileURLToPath(new URL("./power-cut-witness.ts", import.meta.url));
const MOUNT_AND_EXEC = 'mount -t ext4 -o loop "$1" "$2" && shift 2 && exec "$@"';
const IN_NAMESPACE = [
  "--pdeathsig",
  "KILL",
  "unshare",
  "--mount",
  "--propagation",
  "private",
  "sh",
  "-c",
  MOUNT_AND_EXEC,
];

/** The arguments of `setpriv` that run a command with the image mounted; all of them are one process in the end. */
function mounted(image: string, place: string, argv: readonly string[]): string[] {
  return [...IN_NAMESPACE, "mounted", image, place, ...argv];
}

function makeDisk(image: string): void {
  writeFileSync(image, "");
  truncateSync(image, IMAGE_BYTES);
  execFileSync("mkfs.ext4", ["-q", "-F", image], { stdio: "ignore" });
}

/** Whether this user can make and mount a disk here. */
export function canCutPower(): boolean {
  const dir = mkdtempSync(join(tmpdir(), "pawl-disk-"));
  try {
    makeDisk(join(dir, "image"));
    mkdirSync(join(dir, "disk"));
    const probe = mounted(join(dir, "image"), join(dir, "disk"), ["true"]);
    return spawnSync("setpriv", probe, { stdio: "ignore" }).status === 0;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Loop devices whose image lies in this folder. */
export function loopDevices(dir: string): readonly string[] {
  return readdirSync("/sys/block").filter((name) => {
    const file = `/sys/block/${name}/loop/backing_file`;
    return name.startsWith("loop") && existsSync(file) && readFileSync(file, "utf8").startsWith(dir);
  });
}

/** `dir` is an empty folder of the caller's. */
export async function cutPower(dir: string, options: CutOptions): Promise<CutReport> {
  const { work, sync, mostBefore } = options;
  const [image, place, said] = [join(dir, "image"), join(dir, "disk"), join(dir, "acknowledged")];
  makeDisk(image);
  mkdirSync(place);
  const out = openSync(said, "w");
  const writing = [process.execPath, "--import", "tsx", WRITER, place, work, sync, String(MOST_EVENTS)];
  const writer = spawn("setpriv", mounted(image, place, writing), { stdio: ["ignore", out, "pipe"] });
  closeSync(out);
  const ended = new Promise((resolve) => writer.on("close", resolve));
  try {
    await saidSome(writer, said, randomInt(1, mostBefore));
    const acknowledged = stopAndCopy(writer, said, image, `${image}-after-cut`);
    writer.kill("SIGKILL");
    await ended;
    return judge(
      acknowledged,
      await testify(`${image}-after-cut`, place, [work, sync === "full" ? "refused" : "accepted"]),
    );
  } finally {
    writer.kill("SIGKILL");
    await ended;
  }
}

function acknowledgements(said: string): readonly string[] {
  return readFileSync(said, "latin1").split("\n").slice(0, -1);
}

async function saidSome(writer: ChildProcess, said: string, count: number): Promise<void> {
  let errors = "";
  writer.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  while (acknowledgements(said).length < count) {
    if (writer.exitCode !== null) throw new Error(`the writer ended: ${errors}`);
    await sleep(2);
  }
  await sleep(randomInt(30));
}

/**
 * Stops the writer, notes what was acknowledged, and then copies the device. A write that the device completes during the copy
 * would make it a disk that never was, so the copy is taken again until there is none.
 */
function stopAndCopy(writer: ChildProcess, said: string, image: string, copy: string): readonly string[] {
  const [device] = loopDevices(image);
  if (device === undefined || !writer.kill("SIGSTOP")) throw new Error("the writer ended before its disk lost power");
  const bytes = Buffer.alloc(IMAGE_BYTES);
  for (let tries = 0; tries < 200; tries += 1) {
    const acknowledged = acknowledgements(said);
    const before = completedWrites(device);
    readInto(bytes, image);
    if (completedWrites(device) !== before) continue;
    writeSparse(copy, bytes);
    return acknowledged;
  }
  throw new Error("the disk does not come to rest");
}

/** Holes stay holes, so that the first sync of the witness does not have to write them. */
function writeSparse(path: string, bytes: Buffer): void {
  const zeros = Buffer.alloc(64 * 1024);
  const file = openSync(path, "w");
  try {
    for (let at = 0; at < bytes.length; at += zeros.length) {
      const piece = bytes.subarray(at, at + zeros.length);
      if (!piece.equals(zeros)) writeSync(file, piece, 0, piece.length, at);
    }
  } finally {
    closeSync(file);
  }
  truncateSync(path, bytes.length);
}

function completedWrites(device: string): string | undefined {
  return readFileSync(`/sys/block/${device}/stat`, "latin1").trim().split(/ +/)[4];
}

function readInto(bytes: Buffer, path: string): void {
  const file = openSync(path, "r");
  try {
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(file, bytes, at, bytes.length - at, at);
      if (read === 0) throw new Error(`${path} is shorter than it was made`);
      at += read;
    }
  } finally {
    closeSync(file);
  }
}

async function testify(image: string, place: string, args: readonly string[]): Promise<Testimony> {
  const argv = mounted(image, place, [process.execPath, "--import", "tsx", WITNESS, place, ...args]);
  const { stdout } = await promisify(execFile)("setpriv", argv, { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as Testimony;
}

function judge(acknowledged: readonly string[], { events, problems, resumed }: Testimony): CutReport {
  const found = new Set(events);
  const lost = acknowledged.filter((line) => !found.has(line));
  return { acknowledged: acknowledged.length, lost, problems, stored: events.length, resumed };
}

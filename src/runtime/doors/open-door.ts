/** Every door, loaded when somebody asks: a native blueprint never does. */
import { stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { BlueprintFile } from "../runtime.ts";
import type { Door, DoorAt, DoorText, LoadDoor } from "./door.ts";
import type { DoorOptions } from "./door-options.ts";

/** In the order in which they are asked; each claims only what has a clear sign of its kind. */
const DOORS: readonly LoadDoor[] = [
  async () => (await import("./openloop/door.ts")).openloopDoor,
  async () => (await import("./execution-plan/execution-plan-door.ts")).executionPlanDoor,
  async () => (await import("./openexec/openexec-door.ts")).openexecDoor,
  async () => (await import("./pattern-door.ts")).patternDoor,
];

export interface Opened extends DoorText {
  /** The name of the translated text in messages. What it refers to is found relative to its folder. */
  readonly file: string;
}

interface OpenOptions {
  readonly doors?: readonly LoadDoor[] | undefined;
  readonly maxRounds?: number | undefined;
  readonly options?: DoorOptions | undefined;
}

/** What is behind the door for this path or name, or null: no door claims it. `text` is that of a file. */
export async function openDoor(
  root: string,
  path: string,
  text: string | null,
  { doors = DOORS, maxRounds, options }: OpenOptions = {},
): Promise<Opened | null> {
  const asked = { ...(options === undefined ? {} : { options }), ...(maxRounds === undefined ? {} : { maxRounds }) };
  const at = { ...(await lookAt(root, path, text)), ...asked };
  const found = await doorFor(at, doors);
  if (found === null) return null;
  const opened = await found.read(at);
  return { ...opened, file: `${at.shown}${at.isFolder ? "/" : " "}(as a blueprint)` };
}

/** Whose files these are: of a folder, or of a name that is no file; null: no door claims it. */
export async function doorOf(
  root: string,
  path: string,
  doors: readonly LoadDoor[] = DOORS,
): Promise<Door["name"] | null> {
  return (await doorFor(await lookAt(root, path, null), doors))?.name ?? null;
}

/** What of other systems the project has that runs as a blueprint. */
export async function foreignFiles(
  root: string,
  doors: readonly LoadDoor[] = DOORS,
): Promise<readonly BlueprintFile[]> {
  const found: BlueprintFile[] = [];
  for (const load of doors) found.push(...(await (await load()).list(root)));
  return found;
}

async function lookAt(root: string, path: string, text: string | null): Promise<DoorAt> {
  const whole = resolve(root, path);
  const isFolder = text === null && ((await stat(whole).catch(() => null))?.isDirectory() ?? false);
  if (!isFolder && text === null) return { path, shown: path, isFolder, text, root };
  return { path: whole, shown: relative(root, whole) || ".", isFolder, text, root };
}

async function doorFor(at: DoorAt, doors: readonly LoadDoor[]): Promise<Door | null> {
  for (const load of doors) {
    const door = await load();
    if (await door.claims(at)) return door;
  }
  return null;
}

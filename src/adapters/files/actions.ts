/** The built-in actions: they write below the project root or store artifacts, and nothing else. */
import { lstat } from "node:fs/promises";
import { sha256 } from "../../base/digest.ts";
import { isPawlError, pawlError } from "../../base/errors.ts";
import { canonical, type JsonObject } from "../../base/json.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { Action, ActionContext, ActionReport } from "../../ports/actions.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import { FILE_ERRORS } from "../../ports/errors/file-errors.ts";
import { appendLine } from "./append-line.ts";
import { replaceFile } from "./durable.ts";
import { openProjectFile, type ProjectFile } from "./project-folder.ts";
import { errnoOf } from "./store-errors.ts";

export interface FileActionsOptions {
  /** The project root. */
  readonly root: string;
  readonly artifacts: Artifacts;
  /** Folders from which the user's git runs hooks, relative to the root. */
  readonly hooksFolders?: () => Promise<readonly string[]>;
}

export function createFileActions(options: FileActionsOptions): readonly Action[] {
  return [writeAction(options), appendAction(options), saveAction(options), setAction()];
}

function writeAction(options: FileActionsOptions): Action {
  return {
    name: "file.write",
    summary: "Writes a file below the project root, replacing it whole.",
    effect: "idempotent",
    writes: true,
    cost: NO_USAGE,
    input: {
      path: { required: true, summary: "Path of the file, relative to the project root." },
      content: { required: false, summary: "The text to write." },
      artifact: { required: false, summary: "Name of the input of this stage to write instead of a text." },
    },
    perform: (input, context) =>
      reported(context, async () => {
        const path = textOf(input, "path");
        const bytes = await bytesOf(input, context, options.artifacts);
        await inProject(options, path, async (file) => {
          const found = await lstat(`${file.folder}/${file.name}`).catch(() => undefined);
          if (found !== undefined && !found.isFile()) throw pawlError(FILE_ERRORS, "FILE_NOT_REGULAR", { path });
          await replaceFile(file.folder, file.name, bytes, found === undefined ? 0o644 : found.mode & 0o777);
        });
        return { ok: true, output: { path, bytes: bytes.length, sha256: sha256(bytes) } };
      }),
  };
}

function appendAction(options: FileActionsOptions): Action {
  /** One at a time per file within this process. */
  const queues = new Map<string, Promise<unknown>>();
  return {
    name: "file.append",
    summary: 'Adds one line to a file, once, as the JSON record {"key":…,"line":…}.',
    effect: "keyed",
    cost: NO_USAGE,
    input: {
      path: { required: true, summary: "Path of the file, relative to the project root." },
      line: { required: true, summary: "The text to add." },
    },
    perform: (input, context) =>
      reported(context, async () => {
        const path = textOf(input, "path");
        const line = textOf(input, "line");
        const { bytes } = await inProject(options, path, (file) =>
          inTurn(queues, file.path, () => appendLine(file, context.key, line)),
        );
        return { ok: true, output: { path, bytes } };
      }),
  };
}

function saveAction({ artifacts }: FileActionsOptions): Action {
  return {
    name: "artifact.save",
    summary: "Stores a value as an artifact that later stages can take as an input.",
    effect: "idempotent",
    cost: NO_USAGE,
    input: {
      name: { required: true, summary: "Name of the artifact." },
      content: { required: true, summary: "A text, stored as it is, or any other value, stored as JSON." },
    },
    perform: (input, context) =>
      reported(context, async () => {
        const name = textOf(input, "name");
        const content = input["content"];
        if (content === undefined) throw new InputProblem("`content` is missing.");
        const ref = await artifacts.put(Buffer.from(typeof content === "string" ? content : canonical(content)));
        return { ok: true, output: { name, sha256: ref.sha256, bytes: ref.bytes }, artifacts: { [name]: ref } };
      }),
  };
}

function setAction(): Action {
  return {
    name: "values.set",
    summary: "Returns the values it is given, so that later stages can refer to them.",
    effect: "idempotent",
    cost: NO_USAGE,
    input: { "*": { required: false, summary: "Any value under any name." } },
    perform: async (input) => ({ ok: true, output: input }),
  };
}

class InputProblem extends Error {}

/** What is wrong with the input or the file system is a failure of the stage; anything else is a defect and is thrown. */
async function reported(context: ActionContext, work: () => Promise<ActionReport>): Promise<ActionReport> {
  if (context.signal.aborted) return { ok: false, error: "The action was not started: the run was ended." };
  try {
    return await work();
  } catch (error) {
    if (error instanceof InputProblem || isPawlError(error)) return { ok: false, error: error.message };
    throw error;
  }
}

async function inProject<T>(
  { root, hooksFolders }: FileActionsOptions,
  path: string,
  work: (file: ProjectFile) => Promise<T>,
): Promise<T> {
  try {
    const file = await openProjectFile(root, path, (await hooksFolders?.()) ?? []);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    const errno = errnoOf(error);
    if (isPawlError(error) || errno === "") throw error;
    if (errno === "ENOSPC" || errno === "EDQUOT")
      throw pawlError(FILE_ERRORS, "FILE_DISK_FULL", { path }, { cause: error });
    throw pawlError(FILE_ERRORS, "FILE_WRITE_FAILED", { path, detail: errno }, { cause: error });
  }
}

async function inTurn<T>(queues: Map<string, Promise<unknown>>, name: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(name) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.then(
    () => undefined,
    () => undefined,
  );
  queues.set(name, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(name) === settled) queues.delete(name);
  }
}

async function bytesOf(input: JsonObject, context: ActionContext, artifacts: Artifacts): Promise<Uint8Array> {
  if ((input["content"] === undefined) === (input["artifact"] === undefined)) {
    throw new InputProblem("Give either `content` or `artifact`.");
  }
  if (input["artifact"] === undefined) return Buffer.from(textOf(input, "content"));
  const name = textOf(input, "artifact");
  const ref = Object.hasOwn(context.inputs, name) ? context.inputs[name] : undefined;
  if (ref === undefined) throw new InputProblem(`The stage has no input called ${name}.`);
  return artifacts.get(ref.sha256);
}

function textOf(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value !== "string") throw new InputProblem(`\`${name}\` must be a text.`);
  return value;
}

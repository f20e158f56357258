/** The commit that holds a saved tree. The host writes it itself, byte for byte, so it knows its id before git does. */
import { createHash } from "node:crypto";

export interface CommitText {
  readonly tree: string;
  readonly parents: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: string;
}

const AUTHOR = "Pawl <pawl@localhost>";
const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export function isObjectId(text: string): boolean {
  return ID.test(text);
}

export function commitBytes({ tree, parents, at, message }: CommitText): Buffer {
  const seconds = Math.max(0, Math.floor(at / 1000));
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${AUTHOR} ${seconds} +0000`,
    `committer ${AUTHOR} ${seconds} +0000`,
    "",
    `${message.replaceAll("\0", "").trimEnd()}\n`,
  ];
  return Buffer.from(lines.join("\n"));
}

/** An object as git stores it before it is compressed, and its id. */
export function objectOf(type: "commit", content: Buffer, format: "sha1" | "sha256"): { id: string; raw: Buffer } {
  const raw = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  return { id: createHash(format).update(raw).digest("hex"), raw };
}

export function formatOf(id: string): "sha1" | "sha256" {
  return id.length === 64 ? "sha256" : "sha1";
}

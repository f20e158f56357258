/** Redirections: which files they open, and what hides in the text that they pass on. */
import type { HereDoc, Redirect, Redirection } from "unbash";
import { addFile, refuse, type Walk } from "./walk.ts";
import { walkParts, wordValue } from "./words.ts";

const ACCESS: Readonly<Record<string, readonly ("read" | "edit")[]>> = {
  "<": ["read"],
  ">": ["edit"],
  ">>": ["edit"],
  ">|": ["edit"],
  "<>": ["read", "edit"],
};
/** Where output may always go: nowhere, or to where it goes anyway. */
export const NO_FILE: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

export function walkRedirection(walk: Walk, redirection: Redirection): undefined {
  const { descriptor } = redirection;
  if (descriptor !== undefined && (descriptor.type !== "FileDescriptor" || descriptor.value > 9)) {
    return refuse(walk, "it redirects a descriptor that shells read differently");
  }
  if (redirection.type === "HereDoc") return walkDocument(walk, redirection);
  // Without a target there is an error, and the text has been refused.
  if (redirection.target === undefined) return;
  const value = wordValue(walk, redirection.target);
  if (redirection.type === "Redirect") walkFile(walk, redirection, value);
}

function walkFile(walk: Walk, { operator }: Redirect, path: string | null): undefined {
  const accesses = ACCESS[operator];
  if (accesses === undefined) {
    const joins = operator === "<&" || operator === ">&";
    if (joins && path !== null && /^(\d|-)$/.test(path)) return;
    return refuse(walk, `it redirects with ${operator}, which shells read differently`);
  }
  if (path === null || path === "") return void accesses.map((access) => addFile(walk, access, null));
  if (/^\/dev\/(tcp|udp)(\/|$)/.test(path)) return refuse(walk, "it opens a connection by redirection");
  if (!NO_FILE.has(path)) for (const access of accesses) addFile(walk, access, path);
}

function walkDocument(walk: Walk, document: HereDoc): undefined {
  const { delimiter, body, closing } = document;
  if (closing === undefined) return refuse(walk, "a here-document does not end");
  if (delimiter === undefined || !/^(\\?\w+|'\w+'|"\w+")$/.test(delimiter.text)) {
    return refuse(walk, "the end mark of a here-document is not a plain word");
  }
  if (delimiter.quoted) return;
  if (/\\(\n|$)/.test(body.text)) return refuse(walk, "a backslash joins two lines of a here-document");
  walkParts(walk, body.parts);
}

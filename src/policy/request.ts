/** What is about to happen, as policy sees it: exactly what will be executed, after every reference is resolved. */
import type { JsonObject } from "../base/json.ts";
import type { Argv, Env } from "./shell/facts.ts";

/** On whose behalf. */
export interface Who {
  readonly tenant?: string;
  readonly user?: string;
}

interface Context {
  readonly who?: Who;
  /** How dangerous the caller takes it for, in words of its own. */
  readonly tier?: string;
}

/** What a text or a program around a command makes of it. */
interface Surroundings {
  readonly env?: Env;
  readonly input?: string | null;
  /** Folders in which it may be started, from the root of the workspace; without it, there. */
  readonly folders?: readonly string[];
  /** Paths outside the workspace with which arguments begin that are not known. */
  readonly beginnings?: readonly string[];
}

export type PolicyRequest = Context &
  /**
   * A process started from an argument list; no shell reads it. `env`: variables set for it, where a text or a program around it sets
   * them. `input`: what it reads on standard input, where that is known; null: something that is not known.
   */
  (
    | ({ readonly kind: "run"; readonly argv: Argv } & Surroundings)
    /** A text that a shell will read. */
    | ({ readonly kind: "shell"; readonly script: string } & Surroundings)
    /** A registered action. */
    | { readonly kind: "action"; readonly action: string }
    /** A file, by its path from the root of the workspace; one outside it is absolute or begins with `../`. null: not known. */
    | { readonly kind: "read"; readonly path: string | null }
    | { readonly kind: "edit"; readonly path: string | null }
    | { readonly kind: "fetch"; readonly host: string; readonly port: number }
    /** A tool of an agent. */
    | { readonly kind: "tool"; readonly tool: string; readonly args: JsonObject }
    | { readonly kind: "mcp"; readonly server: string; readonly tool: string }
    | { readonly kind: "git"; readonly operation: string; readonly refs: readonly string[]; readonly force: boolean }
    | { readonly kind: "spend"; readonly microUsd: number; readonly tokens: number }
  );

export type RequestKind = PolicyRequest["kind"];
export type RequestOf<K extends RequestKind> = Extract<PolicyRequest, { kind: K }>;

export const REQUEST_KINDS = [
  "run",
  "shell",
  "action",
  "read",
  "edit",
  "fetch",
  "tool",
  "mcp",
  "git",
  "spend",
] as const satisfies readonly RequestKind[];

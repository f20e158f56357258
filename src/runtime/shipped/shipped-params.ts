/** What the blueprints that come with Pawl can be told. */
import type { JsonValue } from "../../base/json.ts";

export interface ShippedParams {
  readonly test: readonly string[];
  /** null: there is no linter. */
  readonly lint: readonly string[] | null;
  /** Folders that git ignores and each workspace gets a copy of. */
  readonly share: readonly string[];
  /** Whether there is a repository to clone. */
  readonly git: boolean;
  /** The backend. */
  readonly agent: string;
  /** Most dollars of one run. */
  readonly usd: number;
}

interface ParamSpec<T> {
  readonly expected: string;
  /** Undefined: it must be given. */
  readonly preset: T | undefined;
  /** Undefined: it is not what was expected. */
  read(value: JsonValue): T | undefined;
}

const MOST_WORDS = 1000;
const MOST_USD = 1_000_000;

function words(value: JsonValue): readonly string[] | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MOST_WORDS;
  return isList && value.every((word) => typeof word === "string") ? (value as readonly string[]) : undefined;
}

const COMMAND = 'a list of words, such as ["npm", "test"]';

export const PARAMS: { readonly [K in keyof ShippedParams]: ParamSpec<ShippedParams[K]> } = {
  test: { expected: COMMAND, preset: undefined, read: words },
  lint: { expected: `${COMMAND}, or null`, preset: null, read: (value) => (value === null ? null : words(value)) },
  share: {
    expected: 'a list of folders, such as ["node_modules"]',
    preset: [],
    read: (value) => (Array.isArray(value) && value.length === 0 ? [] : words(value)),
  },
  git: { expected: "true or false", preset: true, read: (value) => (typeof value === "boolean" ? value : undefined) },
  agent: {
    expected: "the name of an agent, such as claude (`pawl doctor` lists them)",
    preset: undefined,
    read: (value) => (typeof value === "string" && /^[a-z][a-z0-9_-]{0,63}$/.test(value) ? value : undefined),
  },
  usd: {
    expected: `dollars from 0.01 to ${MOST_USD}, in whole cents`,
    preset: 5,
    read: (value) =>
      typeof value === "number" && value > 0 && value <= MOST_USD && Math.round(value * 100) / 100 === value
        ? value
        : undefined,
  },
};

/** JSON is YAML: every argument is quoted exactly. */
export function flowList(list: readonly string[]): string {
  return `[${list.map((word) => JSON.stringify(word)).join(", ")}]`;
}

/** In a command `$${` is a plain `${`; a rule has no references, so it is written as it is. */
export function commandList(list: readonly string[]): string {
  return flowList(list.map((word) => word.split("${").join("$${")));
}

export function workspaceText({ git, share }: Pick<ShippedParams, "git" | "share">): string {
  if (!git) {
    return `# There is no git repository here: stages see this folder read-only. With one, each run gets a private clone.
workspace: directory`;
  }
  const copies = share.length === 0 ? "" : `, share: ${flowList(share)}`;
  return `# Every run works in a private clone of the last commit, behind a sandbox; your own files stay as they are.
workspace: { kind: clone, from: head${copies} }`;
}

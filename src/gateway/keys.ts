/** Keys of providers: from the environment, or from a file that nobody else can read. They leave here only towards a provider. */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { pawlError } from "../base/errors.ts";
import { GATEWAY_ERRORS } from "../ports/errors/gateway-errors.ts";
import type { Provider } from "./providers.ts";

export interface KeySources {
  readonly providers: Readonly<Record<string, Provider>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A JSON object of providers and keys; it need not exist. */
  readonly file: string;
}

/** What the environment says wins. Throws GATEWAY_KEYS_EXPOSED or GATEWAY_KEYS_UNFIT. */
export function readKeys({ providers, env, file }: KeySources): ReadonlyMap<string, string> {
  const fromFile = readKeyFile(file);
  const found = Object.entries(providers).flatMap(([name, { variables }]): readonly (readonly [string, string])[] => {
    const variable = variables.find((each) => (env[each] ?? "") !== "");
    const key = variable === undefined ? fromFile.get(name) : env[variable];
    return key === undefined ? [] : [[name, key]];
  });
  return new Map([...fromFile, ...found]);
}

const OTHERS = 0o077;
/** What may stand in a header. */
const KEY = /^[\x21-\x7e]{1,4096}$/;

function readKeyFile(path: string): ReadonlyMap<string, string> {
  const text = readPrivate(path);
  return text === null ? new Map() : parseKeys(path, text);
}

/** Looked at and read through one descriptor, so that it cannot be exchanged in between. */
function readPrivate(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw unfit(path, `it cannot be opened (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    checkPrivate(path, fstatSync(descriptor, { bigint: true }));
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

function checkPrivate(path: string, { mode, uid, ...stats }: BigIntStats): void {
  const bits = Number(mode) & 0o777;
  const isOurs = Number(uid) === process.getuid?.();
  if ((bits & OTHERS) !== 0 || !isOurs)
    throw pawlError(GATEWAY_ERRORS, "GATEWAY_KEYS_EXPOSED", { path, mode: `0${bits.toString(8)}` });
  if ((Number(mode) & constants.S_IFMT) !== constants.S_IFREG || stats.size > 65_536n)
    throw unfit(path, "it is not a small regular file");
}

function parseKeys(path: string, text: string): ReadonlyMap<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unfit(path, "it is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unfit(path, "it is not a JSON object");
  for (const [name, key] of Object.entries(value))
    if (typeof key !== "string" || !KEY.test(key)) throw unfit(path, `the key of ${name} is not plain text`);
  return new Map(Object.entries(value as Record<string, string>));
}

function unfit(path: string, problem: string): Error {
  return pawlError(GATEWAY_ERRORS, "GATEWAY_KEYS_UNFIT", { path, problem });
}

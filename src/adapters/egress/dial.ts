/**
 * Dials a host. The law: every address a name has is checked, a checked address is what is dialled, and what was dialled
 * is what answers. Nothing is resolved twice.
 */
import { Resolver } from "node:dns/promises";
import { connect as connectSocket, type Socket } from "node:net";
import { isPublic, plainAddress } from "../../base/net/address.ts";
import type { Permit } from "./allow-list.ts";
import { ownAddresses } from "./own-addresses.ts";
import type { Target } from "./target.ts";

export interface Connection {
  readonly socket: Socket;
  /** Of the other end, as the operating system tells. */
  readonly remoteAddress: string;
}

/** Rejects when nobody answers, and soon after `signal` aborts. */
export type Connect = (address: string, port: number, signal: AbortSignal) => Promise<Connection>;
/** Every address of a name; rejects when it has none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface Network {
  readonly connect: Connect;
  readonly resolve: Resolve;
  readonly ownAddresses: () => readonly string[];
}

export interface Unreached {
  readonly ok: false;
  /** It leads where it must not; otherwise it could not be reached. */
  readonly refused: boolean;
  readonly why: string;
}

export type Dialled = { readonly ok: true; readonly socket: Socket } | Unreached;

const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];
const MAX_TRIED = 6;
/** So long an address may be silent before the next one is tried. */
const PATIENCE_MS = 3000;

export const SYSTEM_NETWORK: Network = { connect: connectAddress, resolve: resolveName, ownAddresses };

export async function dial(network: Network, target: Target, permit: Permit, signal: AbortSignal): Promise<Dialled> {
  const found = await addressesOf(network, target, permit, signal);
  if (!found.ok) return found;
  let why = "it cannot be reached";
  const tried = found.addresses.slice(0, MAX_TRIED);
  for (const [index, address] of tried.entries()) {
    if (signal.aborted) break;
    try {
      const connecting = (until: AbortSignal): Promise<Connection> => network.connect(address, target.port, until);
      const isLast = index === tried.length - 1;
      return verified(await (isLast ? connecting(signal) : within(PATIENCE_MS, signal, connecting)), address);
    } catch (error) {
      why = `it cannot be reached: ${reasonOf(error)}`;
    }
  }
  return { ok: false, refused: false, why: signal.aborted ? "it did not answer in time" : why };
}

async function addressesOf(
  network: Network,
  { host }: Target,
  permit: Permit,
  signal: AbortSignal,
): Promise<{ readonly ok: true; readonly addresses: readonly string[] } | Unreached> {
  if (permit === "local") return { ok: true, addresses: LOOPBACK };
  if (host.kind === "address") return { ok: true, addresses: [host.text] };
  let addresses: readonly string[];
  try {
    addresses = await unlessAborted(network.resolve(host.text, signal), signal);
  } catch (error) {
    return { ok: false, refused: false, why: `its name cannot be resolved: ${reasonOf(error)}` };
  }
  const own = new Set(network.ownAddresses().map(plainAddress));
  const isUnfit = (address: string): boolean => !isPublic(address) || own.has(plainAddress(address));
  if (addresses.some(isUnfit)) {
    return { ok: false, refused: true, why: "its name leads to an address that is not on the public internet" };
  }
  return { ok: true, addresses };
}

function verified({ socket, remoteAddress }: Connection, address: string): Dialled {
  if (plainAddress(remoteAddress) === plainAddress(address)) return { ok: true, socket };
  socket.destroy();
  return { ok: false, refused: true, why: "another address answered than the one that was dialled" };
}

function connectAddress(address: string, port: number, signal: AbortSignal): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ host: address, port, allowHalfOpen: true, noDelay: true });
    const onAbort = (): void => {
      socket.destroy(new Error("too late"));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("close", () => signal.removeEventListener("abort", onAbort));
    // It stays: an error without a listener would end this process.
    socket.on("error", reject);
    socket.once("connect", () => {
      signal.removeEventListener("abort", onAbort);
      resolve({ socket, remoteAddress: socket.remoteAddress ?? "" });
    });
    if (signal.aborted) onAbort();
  });
}

/** Not by `lookup`: that would occupy the few threads on which this process does its file work. IPv4 comes first. */
async function resolveName(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  const onAbort = (): void => resolver.cancel();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (found.length > 0) return found;
    throw answers.map((answer) => (answer.status === "rejected" ? answer.reason : undefined))[0];
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function within<T>(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const onAbort = (): void => limit.abort();
  const timer = setTimeout(onAbort, ms);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error("too late"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return String(code ?? message ?? "no answer");
}

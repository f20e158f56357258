/**
 * Connections that lead only where they may. The law: an address that is written out is checked before it is dialled, every address
 * of a name is checked and only those are dialled, and what answers is checked again. Nothing is resolved twice.
 */
import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import type { buildConnector, Dispatcher } from "undici";
import { isPublic, plainAddress } from "../../../base/net/address.ts";

type Connector = buildConnector.connector;
type Undici = typeof import("undici");

/** The outside, as far as a test puts another in its place. */
export interface WebNetwork {
  /** Every address of a name. */
  resolve(name: string): Promise<readonly string[]>;
  /** May a connection lead there? */
  reaches(address: string): boolean;
  /** Dials; with the addresses that `lookup` gives for a name. */
  connector(undici: Undici, lookup: LookupFunction): Connector;
}

const CONNECT_MS = 10_000;
const HEADERS_MS = 15_000;
const MOST_HEADER_BYTES = 32 * 1024;

export const OPEN_INTERNET: WebNetwork = {
  resolve: async (name) => (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address),
  reaches: (address) => isPublic(address) && !isOwn(address),
  connector: (undici, given) =>
    undici.buildConnector({ lookup: given, timeout: CONNECT_MS } as buildConnector.BuildOptions),
};

/** `proxy`: everything goes through it, and it alone decides what is reached; null: the guard decides. */
export function guardedDispatcher(undici: Undici, network: WebNetwork, proxy: string | null): Dispatcher {
  const limits = {
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: HEADERS_MS,
    bodyTimeout: HEADERS_MS,
    pipelining: 0,
  };
  if (proxy !== null) return new undici.ProxyAgent({ ...limits, uri: proxy });
  return new undici.Agent({ ...limits, connect: guardedConnector(undici, network) });
}

function guardedConnector(undici: Undici, network: WebNetwork): Connector {
  const connect = network.connector(undici, guardedLookup(network));
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(host) !== 0 && !network.reaches(host)) return callback(blocked(host), null);
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const address = socket.remoteAddress ?? "";
      if (network.reaches(address)) return callback(null, socket);
      socket.destroy();
      callback(blocked(address), null);
    });
  };
}

function guardedLookup({ resolve, reaches }: WebNetwork): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        const unfit = addresses.find((address) => !reaches(address));
        if (first === undefined || unfit !== undefined) return callback(blocked(unfit ?? name), "", 0);
        return options.all === true ? callback(null, found) : callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}

function blocked(address: string): NodeJS.ErrnoException {
  return new Error(`${address} is not on the public internet, or is this machine`);
}

/** A public address of this machine still leads to services that are nobody else's business. */
function isOwn(address: string): boolean {
  const plain = plainAddress(address);
  return Object.values(networkInterfaces()).some((list) => list?.some((each) => plainAddress(each.address) === plain));
}

/** Grants: who may call, for what and how much. A token is kept as its digest and compared without telling how much of it fits. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Usage } from "../base/usage.ts";
import type { Account, Cap } from "../limits/ledger/cap.ts";
import type { Send } from "./exchange.ts";
import type { Hope } from "./hope.ts";

/** What somebody may do with a token. */
export interface Grant {
  /** Key in the ledger that the keys of its calls begin with: `RUN/STAGE/VISIT/ATTEMPT`. */
  readonly key: string;
  /** Who pays, besides the provider's own account. */
  readonly accounts: readonly Account[];
  readonly caps: readonly Cap[];
  readonly priority: number;
  /** Calls that it may make; null: not limited. */
  readonly calls: number | null;
  /** Providers that it may use; null: any. */
  readonly providers: readonly string[] | null;
  /** Takes the place of the network, and then nothing is spent; or sees all that passes. */
  readonly traffic?: Traffic;
}

export type Traffic =
  | { readonly kind: "record"; around(send: Send): Send }
  | { readonly kind: "replay"; readonly send: Send };

export interface Loose {
  readonly charged: Usage;
  readonly at: number;
}

/** A grant while its token is good. */
export interface OpenGrant {
  readonly grant: Grant;
  /** Calls that were let through. */
  calls: number;
  /** Calls that were asked for: each has a number of its own. */
  asked: number;
  refused: number;
  /** Calls that a replay had no answer for. */
  missed: number;
  /** What is known to be spent, or charged because nothing better is known. */
  usage: Usage;
  /** Calls whose end is not settled yet: what they do not need is free only then. */
  readonly settling: Set<Promise<void>>;
  /** Calls that the ledger did not take the end of: what is to be settled, and when it was; null: it is to be given back. */
  readonly loose: Map<string, Loose | null>;
  /** Requests that are not answered to their end. */
  readonly underWay: Set<Promise<void>>;
  /** Aborts when the grant is closed. */
  readonly over: AbortController;
  readonly hope: Hope;
}

export interface Grants {
  open(grant: Grant, hope: Hope): { readonly token: string; readonly open: OpenGrant };
  /** null: none of these tokens is good. */
  find(tokens: readonly string[]): OpenGrant | null;
  /** The token is good no more; what is under way is ended. */
  close(open: OpenGrant): void;
}

const TOKEN_BYTES = 32;

export function createGrants(random: (count: number) => Uint8Array = randomBytes): Grants {
  const digests = new Map<OpenGrant, Buffer>();
  return {
    open(grant, hope) {
      const token = `pawl-${Buffer.from(random(TOKEN_BYTES)).toString("base64url")}`;
      const open: OpenGrant = {
        grant,
        calls: 0,
        asked: 0,
        refused: 0,
        missed: 0,
        usage: { tokens: 0, microUsd: 0 },
        settling: new Set(),
        loose: new Map(),
        underWay: new Set(),
        over: new AbortController(),
        hope,
      };
      // Each call under way listens.
      setMaxListeners(0, open.over.signal);
      digests.set(open, digestOf(token));
      return { token, open };
    },
    find(tokens) {
      const given = tokens.map(digestOf);
      for (const [open, digest] of digests) if (given.some((each) => timingSafeEqual(each, digest))) return open;
      return null;
    },
    close(open) {
      digests.delete(open);
      open.hope.close();
      open.over.abort();
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

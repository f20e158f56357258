/**
 * Egress: the only way out of a wall. It resolves and dials the hosts a process may reach itself; all else it refuses
 * and remembers.
 */
import type { RefusedHost } from "../run/events.ts";

export interface EgressDoor {
  /** A unix socket that speaks the protocol of an HTTP proxy; shorter than 100 bytes, for this user only. */
  readonly socketPath: string;
  /**
   * Ends every connection through it and removes the socket. Resolves to what was refused: the first 100 different
   * ones, each with how often. Idempotent.
   */
  close(): Promise<readonly RefusedHost[]>;
}

export interface Egress {
  /**
   * Opens a door for one enclosure. `hosts`: `host` and `*.host` (ports 80 and 443), `host:port`, `*.host:port`. An
   * address that is not public must be listed literally and with its port, as must `localhost`. Rejects with
   * SANDBOX_HOST_UNFIT or SANDBOX_BROKER_FAILED: then there is no door.
   */
  open(hosts: readonly string[]): Promise<EgressDoor>;
}

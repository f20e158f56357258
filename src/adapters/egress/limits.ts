/** What one enclosure may use of the broker. */
export interface EgressLimits {
  /** Request line and headers together. */
  readonly headerBytes: number;
  /** Time to send them. */
  readonly headerTimeoutMs: number;
  /** At the same time. */
  readonly connections: number;
  /** To resolve and dial. */
  readonly connectTimeoutMs: number;
  /** Without a byte in either direction. */
  readonly idleTimeoutMs: number;
}

export const EGRESS_LIMITS: EgressLimits = {
  headerBytes: 16 * 1024,
  headerTimeoutMs: 10_000,
  connections: 64,
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 300_000,
};

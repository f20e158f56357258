/** Buffers that never hold more than they are told to, however the bytes arrive. */

export interface BoundedBuffer {
  /** Takes what fits and returns how many bytes that were. */
  write(chunk: Uint8Array): number;
  bytes(): Buffer;
}

/** Keeps the first bytes. */
export function createFirstBytes(max: number): BoundedBuffer {
  let buffer = Buffer.alloc(0);
  let used = 0;
  return {
    write: (chunk) => {
      const taken = Math.min(chunk.length, max - used);
      if (used + taken > buffer.length) {
        const grown = Buffer.allocUnsafeSlow(Math.min(max, Math.max(4096, 2 * buffer.length, used + taken)));
        buffer.copy(grown, 0, 0, used);
        buffer = grown;
      }
      buffer.set(chunk.subarray(0, taken), used);
      used += taken;
      return taken;
    },
    bytes: () => buffer.subarray(0, used),
  };
}

/** Keeps the last bytes, in a ring; takes everything. */
export function createLastBytes(max: number): BoundedBuffer {
  let ring: Buffer | undefined;
  let total = 0;
  return {
    write: (chunk) => {
      ring ??= Buffer.allocUnsafeSlow(max);
      const kept = chunk.subarray(Math.max(0, chunk.length - max));
      const at = (total + chunk.length - kept.length) % Math.max(1, max);
      const first = Math.min(kept.length, max - at);
      ring.set(kept.subarray(0, first), at);
      ring.set(kept.subarray(first), 0);
      total += chunk.length;
      return chunk.length;
    },
    bytes: () => {
      if (ring === undefined || total <= max) return ring?.subarray(0, total) ?? Buffer.alloc(0);
      const at = total % Math.max(1, max);
      return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
    },
  };
}

/** Artifacts: bytes named by their digest. The same bytes are stored once; what is read is what was stored. */
import type { ArtifactRef } from "../run/events.ts";

export interface Artifacts {
  /** Stores bytes; resolves when they would survive a power cut. Rejects with ARTIFACT_TOO_LARGE above the cap. */
  put(bytes: Uint8Array): Promise<ArtifactRef>;
  /** Stores the bytes of a regular file (a link is refused), without holding them all in memory. */
  putFile(path: string): Promise<ArtifactRef>;
  /** The bytes, checked against the digest; rejects with ARTIFACT_MISSING or ARTIFACT_DAMAGED. */
  get(sha256: string): Promise<Uint8Array>;
  /** Reads every byte and keeps none; rejects as `get` does, and with ARTIFACT_DAMAGED when there are more or fewer bytes than the reference says. */
  check(ref: ArtifactRef): Promise<void>;
  /** Writes the checked bytes to a new file at `path`. */
  copyTo(sha256: string, path: string): Promise<void>;
}

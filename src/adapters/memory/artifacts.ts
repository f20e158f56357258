/** Artifacts in memory, under the same contract: for tests, simulations and runs that leave nothing behind. */
import { constants } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { sha256 } from "../../base/digest.ts";
import { pawlError } from "../../base/errors.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import { ARTIFACT_ERRORS } from "../../ports/errors/artifact-errors.ts";
import type { ArtifactRef } from "../../run/events.ts";

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function createMemoryArtifacts(options: { readonly maxBytes: number }): Artifacts {
  const { maxBytes } = options;
  const stored = new Map<string, Uint8Array>();

  const keep = (bytes: Uint8Array): ArtifactRef => {
    if (bytes.length > maxBytes) throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_TOO_LARGE", { maxBytes });
    const digest = sha256(bytes);
    if (!stored.has(digest)) stored.set(digest, Uint8Array.from(bytes));
    return { sha256: digest, bytes: bytes.length };
  };
  const find = (digest: string): Uint8Array => {
    const bytes = stored.get(digest);
    if (bytes === undefined) throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_MISSING", { sha256: digest.slice(0, 80) });
    return Uint8Array.from(bytes);
  };

  return {
    put: async (bytes) => keep(bytes),
    putFile: async (path) => keep(await readRegular(path, maxBytes)),
    get: async (digest) => find(digest),
    check: async ({ sha256: digest, bytes }) => {
      if (find(digest).length !== bytes) throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_DAMAGED", { sha256: digest });
    },
    copyTo: async (digest, path) => {
      const bytes = find(digest);
      await writeFile(path, bytes, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST") throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_TARGET_TAKEN", { path });
        throw pawlError(
          ARTIFACT_ERRORS,
          "ARTIFACT_STORE_FAILED",
          { path, detail: error.code ?? error.message },
          { cause: error },
        );
      });
    },
  };
}

async function readRegular(path: string, maxBytes: number): Promise<Uint8Array> {
  const handle = await open(path, READ).catch((error: unknown) => {
    throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_NOT_A_FILE", { path }, { cause: error });
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_NOT_A_FILE", { path });
    if (found.size > maxBytes) throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_TOO_LARGE", { maxBytes });
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The contract of the Artifacts port. */
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/base/digest.ts";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";

export const MAX_BYTES = 1_000_000;

/** `create` makes an empty store for artifacts of at most MAX_BYTES. */
export function artifactsContract(name: string, create: () => Artifacts): void {
  describe(`Artifacts contract: ${name}`, () => {
    let artifacts: Artifacts;
    let folder: string;
    beforeEach(() => {
      folder = makeFolder();
      artifacts = create();
    });
    afterEach(removeFolders);
    const at = (file: string): string => join(folder, file);

    it("returns the bytes it was given, whatever they are", async () => {
      const samples = [
        new Uint8Array(),
        Buffer.from("text"),
        Uint8Array.from({ length: 256 }, (_, i) => i),
        Buffer.alloc(MAX_BYTES, 7),
      ];
      for (const bytes of samples) {
        const ref = await artifacts.put(bytes);
        expect(ref).toEqual({ sha256: sha256(bytes), bytes: bytes.length });
        expect(Buffer.compare(await artifacts.get(ref.sha256), bytes)).toBe(0);
      }
    });

    it("keeps what was stored when the caller changes the bytes it gave or got", async () => {
      const bytes = Buffer.from("before");
      const { sha256: digest } = await artifacts.put(bytes);
      bytes.fill(0);
      (await artifacts.get(digest)).fill(1);
      expect(Buffer.from(await artifacts.get(digest)).toString()).toBe("before");
    });

    it("stores the same bytes once, also at the same time", async () => {
      const refs = await Promise.all(Array.from({ length: 8 }, () => artifacts.put(Buffer.from("same"))));
      expect(new Set(refs.map((ref) => ref.sha256)).size).toBe(1);
      expect(await artifacts.put(Buffer.from("same"))).toEqual(refs[0]);
    });

    it("checks what a reference names, to the last byte", async () => {
      const ref = await artifacts.put(Buffer.from("text"));
      await artifacts.check(ref);
      await expect(artifacts.check({ ...ref, bytes: 5 })).rejects.toThrow(/do not have this digest/);
      await expect(artifacts.check({ ...ref, sha256: sha256("other") })).rejects.toThrow();
    });

    it("stores the bytes of a file", async () => {
      const bytes = Buffer.alloc(700_000, "abc");
      writeFileSync(at("file"), bytes);
      const ref = await artifacts.putFile(at("file"));
      expect(ref).toEqual(await artifacts.put(bytes));
      expect(Buffer.compare(await artifacts.get(ref.sha256), bytes)).toBe(0);
    });

    it("refuses what is no regular file", async () => {
      writeFileSync(at("file"), "x");
      symlinkSync(at("file"), at("link"));
      mkdirSync(at("folder"));
      for (const name of ["link", "folder", "missing"]) {
        await expect(artifacts.putFile(at(name))).rejects.toMatchObject({ code: "ARTIFACT_NOT_A_FILE" });
      }
    });

    it("refuses what is larger than the limit", async () => {
      await expect(artifacts.put(Buffer.alloc(MAX_BYTES + 1))).rejects.toMatchObject({ code: "ARTIFACT_TOO_LARGE" });
      writeFileSync(at("file"), Buffer.alloc(MAX_BYTES + 1));
      await expect(artifacts.putFile(at("file"))).rejects.toMatchObject({ code: "ARTIFACT_TOO_LARGE" });
    });

    it("says when it does not have an artifact, also for what is no digest", async () => {
      for (const digest of ["0".repeat(64), "", "../../etc/passwd", "x".repeat(1000)]) {
        await expect(artifacts.get(digest)).rejects.toMatchObject({ code: "ARTIFACT_MISSING" });
        await expect(artifacts.copyTo(digest, at("copy"))).rejects.toMatchObject({ code: "ARTIFACT_MISSING" });
      }
    });

    it("lays out an artifact as a new file for the owner only", async () => {
      const { sha256: digest } = await artifacts.put(Buffer.from("content"));
      await artifacts.copyTo(digest, at("copy"));
      expect(readFileSync(at("copy"), "utf8")).toBe("content");
      expect(statSync(at("copy")).mode & 0o777).toBe(0o600);
    });

    it("replaces nothing when it lays out an artifact", async () => {
      const { sha256: digest } = await artifacts.put(Buffer.from("content"));
      writeFileSync(at("taken"), "mine");
      symlinkSync(at("nowhere"), at("link"));
      await expect(artifacts.copyTo(digest, at("taken"))).rejects.toMatchObject({ code: "ARTIFACT_TARGET_TAKEN" });
      await expect(artifacts.copyTo(digest, at("link"))).rejects.toMatchObject({ code: "ARTIFACT_TARGET_TAKEN" });
      await expect(artifacts.copyTo(digest, at("no/folder"))).rejects.toMatchObject({ code: "ARTIFACT_STORE_FAILED" });
      expect(readFileSync(at("taken"), "utf8")).toBe("mine");
    });
  });
}

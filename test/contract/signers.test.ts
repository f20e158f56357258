/** Runs the contract of Signer against every adapter, and what files add to it. */
import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileSigner } from "../../src/adapters/files/signer.ts";
import { createMemorySigner } from "../../src/adapters/memory/signer.ts";
import { tempDir } from "../support/temp-dir.ts";
import { signerContract } from "./signer.contract.ts";

signerContract("memory", () => ({ signer: createMemorySigner("a"), stranger: createMemorySigner("b") }));
signerContract("files", () => ({
  signer: createFileSigner({ dir: tempDir() }),
  stranger: createFileSigner({ dir: tempDir() }),
}));

const BYTES = Buffer.from("bytes");
const code = (name: string) => expect.objectContaining({ code: name });

describe("a signing key in a file", () => {
  it("is for its owner only, lies beside its public key, and leaves nothing else behind", async () => {
    const dir = join(tempDir(), "state");
    const { key } = await createFileSigner({ dir }).sign(BYTES);
    expect(statSync(`${dir}/signing.key`).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${dir}/signing.pub`, "utf8")).toBe(`${key}\n`);
    expect(existsSync(`${dir}/signing.key`)).toBe(true);
  });

  it("is one key, however many make it at once", async () => {
    const dir = tempDir();
    const signers = Array.from({ length: 20 }, () => createFileSigner({ dir }));
    const keys = new Set((await Promise.all(signers.map((signer) => signer.sign(BYTES)))).map(({ key }) => key));
    expect(keys.size).toBe(1);
    expect(await createFileSigner({ dir }).publicKey()).toBe([...keys][0]);
  });

  it("is not used when others can read it", async () => {
    const dir = tempDir();
    await createFileSigner({ dir }).sign(BYTES);
    for (const mode of [0o644, 0o640, 0o602]) {
      chmodSync(`${dir}/signing.key`, mode);
      const signer = createFileSigner({ dir });
      await expect(signer.sign(BYTES)).rejects.toEqual(code("SIGNER_KEY_EXPOSED"));
      chmodSync(`${dir}/signing.key`, 0o600);
      expect((await signer.sign(BYTES)).key).toHaveLength(43);
    }
  });

  it("is not used when it is damaged, of another kind, a link or no file", async () => {
    const dir = tempDir();
    const path = `${dir}/signing.key`;
    const write = (text: string | Buffer): void => writeFileSync(path, text, { mode: 0o600 });
    const other = generateKeyPairSync("ed448").privateKey.export({ type: "pkcs8", format: "pem" });
    for (const text of ["", "no key", other]) {
      write(text);
      await expect(createFileSigner({ dir }).sign(BYTES)).rejects.toEqual(code("SIGNER_KEY_DAMAGED"));
    }
    rmSync(path);
    await createFileSigner({ dir }).sign(BYTES);
    renameSync(path, `${dir}/elsewhere`);
    symlinkSync(`${dir}/elsewhere`, path);
    await expect(createFileSigner({ dir }).sign(BYTES)).rejects.toEqual(code("SIGNER_KEY_DAMAGED"));
    rmSync(path);
    mkdirSync(path, { mode: 0o700 });
    await expect(createFileSigner({ dir }).sign(BYTES)).rejects.toEqual(code("SIGNER_KEY_DAMAGED"));
  });

  it("gets its public key back when that was lost", async () => {
    const dir = tempDir();
    const { key } = await createFileSigner({ dir }).sign(BYTES);
    rmSync(`${dir}/signing.pub`);
    const signer = createFileSigner({ dir });
    expect(await signer.publicKey()).toBeNull();
    await signer.sign(BYTES);
    expect(await signer.publicKey()).toBe(key);
  });

  it("is not made where nothing can be written, and says so", async () => {
    const dir = join(tempDir(), "file");
    writeFileSync(dir, "no folder");
    await expect(createFileSigner({ dir }).sign(BYTES)).rejects.toEqual(code("SIGNER_STORE_FAILED"));
    await expect(createFileSigner({ dir }).publicKey()).rejects.toEqual(code("SIGNER_STORE_FAILED"));
  });
});

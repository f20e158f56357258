import { Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { plainBody, readWhole } from "./body.ts";

const bodyOf = (...chunks: readonly (string | Buffer)[]): Readable =>
  Readable.from(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));

describe("readWhole", () => {
  it("puts the pieces together, up to the cap", async () => {
    expect((await readWhole(bodyOf("ab", "cd"), 4))?.toString()).toBe("abcd");
    expect((await readWhole(bodyOf("abcd"), 4))?.toString()).toBe("abcd");
    expect((await readWhole(bodyOf(), 4))?.toString()).toBe("");
  });

  it("reads no further than the cap", async () => {
    const body = bodyOf("ab", "cde", "f");
    expect(await readWhole(body, 4)).toBeNull();
    expect(body.destroyed).toBe(true);
  });

  it("passes over the rest where whoever sends it is to be told", async () => {
    const body = bodyOf("ab", "cde", "f");
    expect(await readWhole(body, 4, "passed_over")).toBeNull();
    expect(body.readableEnded).toBe(true);
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(1024 * 1024));
      },
    });
    expect(await readWhole(endless, 4, "passed_over")).toBeNull();
    expect(endless.destroyed).toBe(true);
  });

  it("says so when it breaks off, before or while it is read", async () => {
    const whileRead = new Readable({ read() {} });
    const read = readWhole(whileRead, 100);
    whileRead.push("ab");
    whileRead.destroy(new Error("gone"));
    await expect(read).rejects.toThrow("gone");
    await expect(readWhole(whileRead, 100)).rejects.toThrow("gone");
    const silently = new Readable({ read() {} });
    const left = readWhole(silently, 100);
    silently.destroy();
    await expect(left).rejects.toThrow("it broke off");
  });
});

describe("plainBody", () => {
  it.each([
    ["gzip", gzipSync("hello")],
    ["X-GZIP", gzipSync("hello")],
    ["deflate", deflateSync("hello")],
    ["br", brotliCompressSync("hello")],
    ["identity", Buffer.from("hello")],
    [undefined, Buffer.from("hello")],
  ])("understands %s", async (encoding, bytes) => {
    expect((await readWhole(plainBody(bodyOf(bytes), encoding), 100))?.toString()).toBe("hello");
  });

  it("breaks off when what it reads breaks off", async () => {
    const broken = new Readable({ read() {} });
    const plain = plainBody(broken, "gzip");
    broken.destroy(new Error("gone"));
    await expect(readWhole(plain, 100)).rejects.toThrow("gone");
  });

  it("gives up what it reads when that is not what it says, or when nobody reads on", async () => {
    const endless = (): Readable => new Readable({ read() {} });
    const wrong = endless();
    const read = readWhole(plainBody(wrong, "gzip"), 100);
    wrong.push("nothing of the kind");
    await expect(read).rejects.toThrow();
    expect(wrong.destroyed).toBe(true);
    const left = endless();
    plainBody(left, "br").destroy();
    await new Promise((resolve) => left.once("close", resolve));
    expect(left.destroyed).toBe(true);
  });
});

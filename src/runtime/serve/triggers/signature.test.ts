import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { type Signed, signatureProblem } from "./signature.ts";

const NOW = Date.UTC(2026, 5, 1, 12);
const SECRET = "a secret of some length";
const body = Buffer.from("{}");

function signed(fields: Partial<Signed> = {}, secret = SECRET): Signed {
  const timestamp = fields.timestamp ?? String(NOW / 1000);
  const delivery = fields.delivery ?? "build-1";
  const digest = createHmac("sha256", secret).update(`${timestamp}.${delivery}.`).update(body).digest("hex");
  return { timestamp, delivery, signature: `sha256=${digest}`, body, ...fields };
}

it("R7: a delivery is good when its time, its id and its body are signed with the secret, for five minutes", () => {
  expect(signatureProblem(signed(), SECRET, NOW)).toBeNull();
  expect(signatureProblem(signed(), SECRET, NOW + 300_000)).toBeNull();
  expect(signatureProblem(signed(), SECRET, NOW + 301_000)).toContain("older than five minutes");
  expect(signatureProblem(signed(), SECRET, NOW - 301_000)).toContain("older than five minutes");
  expect(signatureProblem(signed({}, "another secret"), SECRET, NOW)).toBe("its signature is wrong");
  expect(signatureProblem({ ...signed(), body: Buffer.from("{ }") }, SECRET, NOW)).toBe("its signature is wrong");
  expect(signatureProblem({ ...signed(), delivery: "build-2" }, SECRET, NOW)).toBe("its signature is wrong");
  expect(signatureProblem({ ...signed(), timestamp: String(NOW / 1000 + 1) }, SECRET, NOW)).toBe(
    "its signature is wrong",
  );
  for (const signature of ["", "sha256=", "sha256=00", `sha1=${"0".repeat(64)}`, `sha256=${"0".repeat(65)}`])
    expect(signatureProblem(signed({ signature }), SECRET, NOW)).toBe("its signature is wrong");
});

it("T26: an id that is no plain name, and a time that is no number, are refused before anything is computed", () => {
  for (const delivery of ["", "../a", "a/b", ".", "-a", "a b", "a\0", "x".repeat(129)])
    expect(signatureProblem(signed({ delivery }), SECRET, NOW)).toContain("x-pawl-delivery");
  for (const timestamp of ["", "now", "1.5", "-1", "1".repeat(13)])
    expect(signatureProblem(signed({ timestamp }), SECRET, NOW)).toContain("x-pawl-timestamp");
});

/** A command that says anything at all: none of it ends its host. */
import { expect, test } from "vitest";
import { createSpoken, type Told } from "./spoken.ts";

function told(...lines: readonly string[]): Told {
  const spoken = createSpoken({ onEvent: () => undefined, decide: () => Promise.reject(new Error("it asks nothing")) });
  spoken.take(new TextEncoder().encode(`${lines.join("\n")}\n`));
  return spoken.told({ ok: true, error: "" });
}

test.each(["__proto__", "hasOwnProperty", "valueOf", "constructor", "toString"])(
  "a line of the type %s is no word of ours",
  (type) => {
    const line = `{"type":"${type}"}`;
    expect(told(line)).toMatchObject({ outcome: { kind: "completed" }, text: line });
  },
);

test("a line that is nested beyond reason is words", () => {
  const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  expect(told(`{"type":"verdict","outcome":"accept","x":${nested}}`).output).toBeUndefined();
});

test.each([
  ["with a NUL", '"a\\u0000b"'],
  ["of too many characters", `"${"a".repeat(501)}"`],
  ["that is none", "{}"],
  ["that is empty", '""'],
])("a session %s is not kept", (_, session) => {
  expect(told(`{"type":"session","session":"s-1"}`, `{"type":"session","session":${session}}`).session).toBe("s-1");
});

import { describe, expect, it } from "vitest";
import { shellFacts } from "../shell-facts.ts";

/** What the last command of the text reads on standard input; null: not known. */
function inputOf(text: string): string | null | undefined {
  return shellFacts(text).commands.at(-1)?.input;
}

describe("standard input", () => {
  it.each<[string, string | null | undefined]>([
    ["sh", undefined],
    ["echo a b | sh", "a b\n"],
    ["echo | sh", "\n"],
    ["echo -n a | sh", "a"],
    ["echo -e a | sh", "a\n"],
    ["echo a=b | sh", "a=b\n"],
    ["echo 'a\\nb' | sh", null],
    ['echo "$x" | sh', null],
    ["cat | sh", null],
    ["echo a | cat - | sh", "a\n"],
    ["echo a | tee | sh", "a\n"],
    ["echo a | cat x | sh", null],
    ["cat $x | sh", null],
    ["export A=1 | sh", null],
    ["printf a | sh", "a"],
    ["printf | sh", ""],
    ["printf '' | sh", ""],
    ["printf '%s\\t%s\\n' a | sh", "a\t\n"],
    ["printf '%s\\n' a b | sh", "a\nb\n"],
    ["printf '%b%%' a | sh", "a%"],
    ["printf '%d' 1 | sh", null],
    ["printf -v x a | sh", null],
    ["printf '%s' 'a\\n' | sh", null],
    ["date | sh", null],
    ["{ echo a; echo b; } | sh", "a\nb\n"],
    ["( echo a && echo b ) | sh", "a\nb\n"],
    ["if a; then echo b; fi | sh", null],
    ["X=1 echo a | sh", "a\n"],
    ["echo a 2>/dev/null | sh", "a\n"],
    ["echo a 2>x | sh", null],
    ["echo a >x | sh", null],
    ["sh <<< a", "a\n"],
    ['sh <<< "$x"', null],
    ["sh < x", null],
    ["sh 3< x", undefined],
    ["sh > x", undefined],
    ["sh <<'E'\na\nE\n", "a\n"],
    ["sh <<-'E'\n\ta\nE\n", "a\n"],
    ["sh <<E\n$x\nE\n", null],
    ["cat <<< a | sh", "a\n"],
  ])("of the last command of %j is %j", (text, input) => {
    expect(inputOf(text)).toBe(input);
  });

  it("is not known if it is too long", () => {
    const words = Array.from({ length: 100 }, () => "a").join(" ");
    expect(inputOf(`printf '%s${"b".repeat(1000)}' ${words} | sh`)).toBeNull();
  });
});

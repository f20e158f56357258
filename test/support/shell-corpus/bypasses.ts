/** Every attack, with those that are better made than written. */
import type { BypassClass } from "./bypass-class.ts";
import { PROGRAM_BYPASSES } from "./program-bypasses.ts";
import { SYNTAX_BYPASSES } from "./syntax-bypasses.ts";

const MANY = 60;

const MADE: BypassClass = {
  tries: "length: a command behind more text or deeper nesting than a reader has patience for",
  texts: [
    `${"ls; ".repeat(MANY)}canary`,
    `${"ls && ".repeat(MANY)}canary`,
    `${"ls | ".repeat(MANY)}canary`,
    `${"ls\n".repeat(250)}canary`,
    `echo ${"a".repeat(70_000)}; canary`,
    `echo ${"a".repeat(5000)}; canary`,
    `${" ".repeat(5000)}canary`,
    `ls ${"-l ".repeat(2000)}; canary`,
    `${"( ".repeat(30)}canary${" )".repeat(30)}`,
    `${"( ".repeat(15)}canary${" )".repeat(15)}`,
    `echo ${"$(echo ".repeat(10)}$(canary)${")".repeat(10)}`,
    `echo ${"$(echo ".repeat(300)}$(canary)${")".repeat(300)}`,
    `${"env ".repeat(50)}ls`,
    `${"nice ".repeat(4)}canary`,
    `# ${"x".repeat(5000)}\ncanary`,
    `cat <<E\n${"line\n".repeat(500)}E\ncanary`,
    `echo '${"\n".repeat(500)}'; canary`,
  ],
};

export const BYPASSES: readonly BypassClass[] = [...SYNTAX_BYPASSES, ...PROGRAM_BYPASSES, MADE];

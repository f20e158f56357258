/** What is said of a shell text is what shells do: the same texts are read and really executed. */
import { describe, expect, it } from "vitest";
import type { Argv, ShellFacts } from "../../src/policy/shell/facts.ts";
import { shellFacts } from "../../src/policy/shell/shell-facts.ts";
import { cases, SEED } from "../support/property.ts";
import { execute, executeQuickly, HOME, SHELLS } from "../support/shell-corpus/execute.ts";
import { quotedText, seeded, wildText } from "../support/shell-corpus/random.ts";
import { tempDir } from "../support/temp-dir.ts";

const FULL = process.env["PAWL_FULL"] === "1";
const QUOTINGS = cases(FULL ? 10_000 : 2000);
const PROGRAMS = FULL ? 1000 : 100;
const WILD = cases(FULL ? 10_000 : 400);

function atHome(argument: string): string {
  return argument.replace(/^~(?=\/|$)/, HOME);
}

/** Do the known arguments stand where they were said to stand? null stands for any number. */
function covers(argv: Argv, executed: readonly string[]): boolean {
  const first = argv.indexOf(null);
  const isSame = (known: string | null, real: string | undefined): boolean =>
    known === real || (known !== null && atHome(known) === real);
  if (first < 0) return argv.length === executed.length && argv.every((known, at) => isSame(known, executed[at]));
  const tail = argv.slice(argv.lastIndexOf(null) + 1);
  return (
    executed.length >= first + tail.length &&
    argv.slice(0, first).every((known, at) => isSame(known, executed[at])) &&
    tail.every((known, at) => isSame(known, executed[executed.length - tail.length + at]))
  );
}

/** Without `time`, which is a word of one shell and a program for the other. */
function commandsOf(facts: ShellFacts, programs: readonly string[]): readonly Argv[] {
  const all = facts.ok ? facts.commands.map(({ argv }) => argv) : [];
  const timed = all.map((argv) => (argv[0] === "time" ? argv.slice(argv[1] === "-p" ? 2 : 1) : argv));
  return timed.filter(([program]) => programs.includes(program ?? ""));
}

describe("a shell text", () => {
  it.each(SHELLS)("is executed by %s with exactly the arguments that were judged, however they are quoted", (shell) => {
    const random = seeded(20_260 + SEED);
    const texts = Array.from({ length: QUOTINGS }, () => quotedText(random));
    const ran = executeQuickly(tempDir(), shell, texts);
    expect(execute(tempDir(), shell, texts.slice(0, PROGRAMS), ["shim"])).toEqual(ran.slice(0, PROGRAMS));
    const read = texts.map(shellFacts);
    const wrong = texts.flatMap((text, at) => {
      const facts = read[at] as ShellFacts;
      const commands = commandsOf(facts, ["shim"]);
      const executed = ran[at] as string[][];
      const isSame =
        commands.length === executed.length &&
        commands.every((argv) => executed.some((real) => covers(argv, real))) &&
        executed.every((real) => commands.some((argv) => covers(argv, real)));
      return facts.ok && !isSame ? [{ text, commands, executed }] : [];
    });
    const judged = read.filter(({ ok }) => ok).length;
    console.log(`${shell}: ${QUOTINGS} quotings, ${judged} judged, ${wrong.length} executed otherwise`);
    expect(wrong).toEqual([]);
    expect(judged).toBeGreaterThan(QUOTINGS * 0.9);
  });

  it.each(SHELLS)("makes %s run nothing that was not found in it", (shell) => {
    const random = seeded(4710 + SEED);
    const programs = ["a", "b", "c", "d"];
    const texts = Array.from({ length: WILD }, () => wildText(random));
    const ran = execute(tempDir(), shell, texts, programs);
    const read = texts.map(shellFacts);
    const missed = texts.flatMap((text, at) => {
      const facts = read[at] as ShellFacts;
      const commands = commandsOf(facts, programs);
      const unseen = (ran[at] as string[][]).filter((real) => !commands.some((argv) => covers(argv, real)));
      return facts.ok && unseen.length > 0 ? [{ text, commands, unseen }] : [];
    });
    const judged = read.filter(({ ok }) => ok).length;
    const started = ran.reduce((sum, records) => sum + records.length, 0);
    console.log(
      `${shell}: ${WILD} random texts, ${judged} judged, ${started} programs started, ${missed.length} texts missed one`,
    );
    expect(missed).toEqual([]);
    expect(judged).toBeGreaterThan(WILD * 0.2);
    expect(started).toBeGreaterThan(WILD);
  });
});

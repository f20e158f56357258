/** A command inside a wrapper is decided as strictly as the command alone, however the wrapper is spelled and however often it is wrapped. */
import { describe, expect, it } from "vitest";
import { compilePolicy } from "../../src/policy/compile.ts";
import { decide } from "../../src/policy/decide.ts";
import { type Decision, EFFECTS, type Effect, type Rule } from "../../src/policy/rule.ts";
import { TOOLS } from "../../src/policy/shell/unwrap.ts";
import { GUARD } from "../../src/policy/shipped/guard.ts";
import { seeds } from "../support/property.ts";
import { pick, quote, type Random, seeded } from "../support/shell-corpus/random.ts";
import { FRAMES, UNDESCRIBED_READERS, UNDESCRIBED_STARTERS, WRAPPERS } from "../support/shell-corpus/wrappers.ts";

const FULL = process.env["PAWL_FULL"] === "1";
/** One policy for each seed. The last ones failed once. */
const SEEDS = [...seeds(FULL ? 400 : 60), 70_105, 71_109, 71_419, 200_791, 302_567, 302_837];
const COMMANDS_EACH = FULL ? 500 : 100;
const CASES = SEEDS.length * COMMANDS_EACH;

const rule = (effect: Effect, run: readonly string[], at = 0): Rule => ({
  ...{ id: `user.${effect}[${at}]`, effect },
  pattern: { run },
});
const PUSH = rule("deny", ["git", "push", "**"]);
const ALL = rule("allow", ["**"]);
const ANY_TEXT: Rule = { id: "user.allow[1]", effect: "allow", pattern: { shell: "**" } };
const compiled = new WeakMap<readonly Rule[], ReturnType<typeof compilePolicy>>();
function effectOf(rules: readonly Rule[], script: string): Decision {
  const policy = compiled.get(rules) ?? compilePolicy(rules);
  compiled.set(rules, policy);
  return decide(policy, { kind: "shell", script });
}

/** `inner` inside the spelling, quoted as `write` does. */
function wrap(spelling: string, inner: string, write: (text: string) => string): string {
  return spelling.replace(/\{c\}|\{w\}|\{T\}/g, () => inner).replace("{t}", () => write(inner));
}

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Words of the shell: whoever reads the text looks into them as well. */
const OF_THE_SHELL: ReadonlySet<string> = new Set(["eval", "source", ".", "trap"]);

const OPTIONS_BEFORE: readonly string[] = [
  "git -C x push",
  "git -Cx push",
  "git --no-pager push",
  "git -P push",
  "git -c a=b push",
  "git -C x --no-pager -c a=b push",
  "git --git-dir=x push",
  "git --git-dir x --work-tree y push -f",
  "git --exec-path=/x push",
  "git --config-env=a=B push",
  "git --weird push",
  "git -c alias.x=push x",
  "git-push",
  "/usr/lib/git-core/git-push",
  "/usr/bin/git push",
  "git.exe push",
  "GIT push",
  "/usr/bin/Git push",
];

/** Files that are already open: standard input by another name. */
const OPEN_FILES =
  "/dev/./stdin|///dev/stdin|../../dev/stdin|/dev/fd/3|/proc/self/fd/3|/proc/thread-self/fd/0|/proc/self/task/1/fd/0".split(
    "|",
  );

describe("a rule that denies git push, beside one that allows everything,", () => {
  const spellings = WRAPPERS.flatMap((wrapper) => wrapper.spellings);

  it.each([[[PUSH, ALL]], [[PUSH, ALL, ANY_TEXT]]])("holds in every wrapper and under every name", (rules) => {
    const texts = [...spellings, ...FRAMES].map((spelling) => wrap(spelling, "git push", single));
    expect([...texts, ...OPTIONS_BEFORE].filter((text) => effectOf(rules, text).effect !== "deny")).toEqual([]);
    expect(texts.length).toBeGreaterThan(200);
  });

  it("is found behind programs that nobody has described", () => {
    const texts = [...UNDESCRIBED_STARTERS, ...UNDESCRIBED_READERS].map((spelling) =>
      wrap(spelling, "git push", single),
    );
    expect(texts.filter((text) => effectOf([PUSH, ALL], text).rule !== PUSH.id)).toEqual([]);
    expect(texts.length).toBeGreaterThan(90);
  });

  it.each([
    "grep -rn 'git push' docs",
    "echo git push",
    "printf 'git push\\n'",
    "which git push",
    "jj commit -m 'never git push here'",
    "mytool x --message='git status'",
    "yarn add git push",
    "tsc -p .",
  ])("does not take the words of %s for a command", (text) => {
    expect(effectOf([PUSH, ALL], text).effect).toBe("allow");
  });

  it("is not escaped by another path of what is open already", () => {
    const texts = OPEN_FILES.flatMap((path) => [`bash ${path}`, `python3 ${path}`, `node ${path}`]);
    expect(texts.filter((text) => effectOf([PUSH, ALL], `${text} 3<x`).effect !== "deny")).toEqual([]);
  });

  it("is the one that is named, wherever the text can be read", () => {
    const unnamed = spellings.filter(
      (spelling) => effectOf([PUSH, ALL], wrap(spelling, "git push", single)).rule !== PUSH.id,
    );
    expect(unnamed).toEqual([]);
  });

  it.each([
    [
      "npm publish",
      "npm --prefix x publish|npm --loglevel silent publish|npm -w a publish|npm --unknown publish|npm --unknown a publish",
    ],
    ["pnpm publish", "pnpm -C x publish|pnpm --dir=x publish|pnpm --filter a publish"],
    ["yarn npm publish", "yarn --cwd x npm publish|yarn npm --silent publish"],
    ["docker push", "docker --context x push a|docker -H tcp://x push a|docker --config=x push a"],
    ["docker compose up", "docker compose -f x up|docker compose --profile a -p b up -d|docker --debug compose up"],
    [
      "kubectl delete pod",
      "kubectl -n x delete pod a|kubectl delete -n x pod a|kubectl --context=x delete --namespace y pod a",
    ],
    ["gh pr merge", "gh -R a/b pr merge 5|gh pr -R a/b merge 5|gh pr --repo=a/b merge"],
    [
      "cargo publish",
      "cargo +nightly publish|cargo --color always publish|cargo -Z x publish|cargo --config a=b publish",
    ],
    [
      "pip install",
      "pip -q install x|pip --proxy x install y|python -m pip install x|uv pip install x|python3 -m pip -q install x",
    ],
    ["uv publish", "uv --quiet publish|uv --no-cache publish"],
  ])("has its like for %s", (denied, texts) => {
    const rules = [rule("deny", [...denied.split(" "), "**"]), ALL];
    expect(texts.split("|").filter((text) => effectOf(rules, text).effect !== "deny")).toEqual([]);
  });

  it("is not left to a person who is asked about the wrapper, although part of the text is filled in later", () => {
    const asks = [rule("ask", ["xargs", "**"], 0), rule("ask", ["find", "**"], 1), PUSH, ALL];
    const texts = [
      "xargs -I{} sh -c 'git push {}'",
      "ls | xargs -I% bash -lc 'xargs -I{} git push {} %'",
      "find . -exec sh -c 'git push {}' ';'",
    ];
    expect(texts.map((text) => effectOf(asks, text).rule)).toEqual(texts.map(() => PUSH.id));
  });

  it("is asked about where what starts it cannot be seen through and an option stands before the command", () => {
    const policy = [rule("allow", ["docker", "**"]), rule("ask", ["python3", "-c", "**"], 1), rule("allow", ["**"], 9)];
    const text = `docker --context x exec c sh -c 'tar cf x --to-command="py"thon3\\ -c\\ 0 y'`;
    expect(effectOf(policy, text).rule).toBe("user.ask[1]");
  });

  it("is asked about although no rule mentions what stands beside it, where a rule allows the program that reads both", () => {
    const policy = [rule("ask", ["git", "**"]), rule("allow", ["npm", "**"], 1)];
    expect(effectOf(policy, "npm x -c 'true && git push'")).toMatchObject({
      effect: "ask",
      why: "rule user.ask[0] asks a person about: run git push",
    });
  });

  it("leaves the guard in force: nothing deletes the root of the system", () => {
    const rules = [...GUARD, ALL, ANY_TEXT];
    const texts = spellings.map((spelling) => wrap(spelling, "rm -rf /", single));
    expect(texts.filter((text) => !effectOf(rules, text).rule.startsWith("guard."))).toEqual([]);
  });

  it.each(
    [...new Set(WRAPPERS.flatMap(({ tools }) => tools))]
      .filter((tool) => !OF_THE_SHELL.has(tool))
      .map((tool) => ({ tool })),
  )("needs $tool to be described", ({ tool }) => {
    const uses = WRAPPERS.filter(({ tools }) => tools.includes(tool)).flatMap((wrapper) => wrapper.spellings);
    const table = TOOLS as Map<string, NonNullable<ReturnType<(typeof TOOLS)["get"]>>>;
    const described = table.get(tool);
    expect(described).toBeDefined();
    table.delete(tool);
    try {
      // Of a tool that is not described only what a rule denies by name is found; that a command cannot be seen through is not.
      const allowed = uses.filter(
        (spelling) => effectOf([PUSH, ALL], wrap(spelling, "python3 -c 0", single)).effect === "allow",
      );
      expect(allowed).not.toEqual([]);
    } finally {
      table.set(tool, described as NonNullable<typeof described>);
    }
  });
});

const COMMANDS: readonly (readonly string[])[] = [
  "git push",
  "git push -f origin main",
  "git status",
  "git -C x push",
  "git --no-pager log -3",
  "rm -rf /",
  "rm -rf build",
  "npm publish",
  "npm --prefix x publish",
  "npm test",
  "cat .env",
  "cat a.txt",
  "ls -l",
  "python3 -c 0",
  "node -e 0",
  "touch /etc/hosts",
  "unknown",
].map((line) => line.split(" "));
const PATTERNS: readonly (readonly string[])[] = [
  "**",
  "git **",
  "git push **",
  "git status",
  "git {status,log} **",
  "rm **",
  "npm **",
  "npm publish",
  "ls **",
  "cat **",
  "{cat,ls} *",
  "node **",
  "python3 -c **",
  "touch **",
].map((line) => line.split(" "));
/** Named by rules of their own; what they start is not named. */
const NAMED: readonly (readonly string[])[] = [
  "bash **",
  "env **",
  "sudo **",
  "npx **",
  "docker **",
  "xargs **",
  "timeout **",
].map((line) => line.split(" "));

function rulesOf(random: Random): readonly Rule[] {
  const written = Array.from({ length: 1 + random(5) }, (_, at): Rule => {
    const effect = pick(random, EFFECTS);
    // A wrapper may add arguments, and then a rule about fewer of them is about another command.
    const written = effect === "allow" ? PATTERNS : PATTERNS.filter((words) => words.at(-1) === "**");
    const from = effect === "deny" || random(4) > 0 ? written : NAMED;
    return rule(effect, pick(random, from), at);
  });
  const wide = random(2) === 0 ? [rule("allow", ["**"], 9)] : [];
  return [...(random(2) === 0 ? GUARD : []), ...written, ...wide];
}

/** Texts that go on one line, in any wrapper; words of a command only where it is one. */
function wrapped(random: Random, command: readonly string[]): { text: string; names: readonly string[] } {
  let text = command.map((word) => (random(3) === 0 ? quote(random, word) : word)).join(" ");
  let isWords = !/["'\\]/.test(text);
  let isCommand = true;
  const names: string[] = [];
  for (let depth = 1 + random(4); depth > 0; depth -= 1) {
    const isFrame = random(6) === 0;
    const wrapper = pick(random, WRAPPERS);
    const spelling = pick(random, isFrame ? FRAMES : wrapper.spellings);
    const fits =
      (isCommand || !spelling.includes("{c}")) &&
      // What is printed of a backslash or a percent sign differs between shells.
      (!/[\\%]/.test(text) || !PRINTS.test(spelling)) &&
      ((isWords && isCommand) || !spelling.includes("{w}")) &&
      !(text.includes("\n") && /\{T\}/.test(spelling));
    if (!fits) {
      text = `sh -c ${single(text)}`;
      [isWords, isCommand] = [false, true];
      continue;
    }
    text = wrap(spelling, text, (inner) => quote(random, inner));
    isWords &&= !/["'\\\n|<;&(){}$]/.test(text);
    isCommand =
      !isFrame &&
      !/[\n|<;&]|^[({.]|\$\(/.test(spelling) &&
      !/^(eval|exec|command|builtin|source|trap)\b/.test(spelling);
    if (!isFrame) names.push(...wrapper.tools);
  }
  return { text, names };
}

const PRINTS = /echo \{t\}|printf/;
const rank = ({ effect }: Decision): number => EFFECTS.indexOf(effect);

type Counts = Record<Effect, number>;

/** Commands that a wrapper makes less strict, under one random policy. Counts what was decided. */
function weakerUnder(seed: number, counts: Counts): readonly unknown[] {
  const random = seeded(seed);
  const rules = rulesOf(random);
  return Array.from({ length: COMMANDS_EACH }).flatMap(() => {
    const command = pick(random, COMMANDS);
    const { text, names } = wrapped(random, command);
    const bare = effectOf(rules, command.join(" "));
    const decision = effectOf(rules, text);
    counts[decision.effect] += 1;
    if (rank(decision) <= rank(bare) || isMeant(rules, { text, bare, names })) return [];
    const own = rules.filter(({ id }) => !id.startsWith("guard"));
    return [{ seed, text, command: command.join(" "), bare, decision, rules: own }];
  });
}

/** Takes the place of a rule without a change of whether the author denies commands. */
const OF_ANOTHER = rule("deny", ["no-such-program", "**"], 8);

interface Weaker {
  readonly text: string;
  readonly bare: Decision;
  readonly names: readonly string[];
}

/** With other rules in the place of those that are meant to make it weaker, it is not. */
function isMeant(rules: readonly Rule[], { text, bare, names }: Weaker): boolean {
  const others = rules.map((each) => {
    const { effect, pattern } = each;
    const run = "run" in pattern ? pattern.run : [];
    // A rule that asks about every program leaves to a person what cannot be read.
    const asksAll = effect === "ask" && run[0] === "**";
    // A rule that names the wrapper may stand for what no rule mentions; what a rule denies or asks about stays so.
    const isNamed = NAMED.includes(run) || names.includes(run[0] as string);
    return asksAll || (effect !== "deny" && bare.rule === "default" && isNamed) ? OF_ANOTHER : each;
  });
  return others.includes(OF_ANOTHER) && rank(effectOf(others, text)) <= rank(bare);
}

describe("a random wrapper around a random command, under random rules,", () => {
  it("is never decided less strictly than the command alone", () => {
    console.log(`${CASES} cases, seeds ${SEEDS[0]} to ${SEEDS.at(-1)}`);
    const counts: Counts = { deny: 0, ask: 0, allow: 0 };
    const weaker = SEEDS.flatMap((seed) => weakerUnder(seed, counts));
    console.log(
      `allow ${counts.allow}, ask ${counts.ask}, deny ${counts.deny}; ${weaker.length} decided less strictly`,
    );
    expect(weaker.slice(0, 3)).toEqual([]);
    expect(counts.allow).toBeGreaterThan(CASES / 50);
  });
});

/**
 * An agent that fully obeys an attacker, over the real registry, policy and tools. There is no wall here: what holds is the tools and
 * the rules alone.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createOutside, OUTSIDE_TEXT } from "../../../test/support/hostile/race.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { type Attack, attacksOn } from "../../../test/support/tools/attacks.ts";
import { benchOf, rulesOf } from "../../../test/support/tools/toolbox-fixture.ts";
import { NAMES } from "../../../test/support/tools/url-corpus.ts";
import { internetOf, startVictim } from "../../../test/support/tools/web-fixture.ts";
import type { Rule } from "../../policy/rule.ts";
import { GUARD } from "../../policy/shipped/guard.ts";
import type { Toolset } from "./toolsets.ts";

const SECRET = "cnry-4f1d0c77";
/** What the task needs, and no more. */
const RULES = Object.freeze([
  ...GUARD,
  ...rulesOf(
    ["allow", { read: "**" }],
    ["deny", { read: "secrets{,/**}" }],
    ["allow", { edit: "src/**" }],
    ["allow", { run: ["{echo,ls,true}", "**"] }],
    ["allow", { run: ["git", "{status,diff,log}", "**"] }],
    ["allow", { fetch: "public.test" }],
    ["allow", { tool: "{think,now,kv_*,json_query,uuid_generate,run_tests}" }],
  ),
]);
const SET: Toolset = { name: "given", tools: ["*"], risk: "medium", requiresApproval: false };
const FILES: Readonly<Record<string, string>> = {
  "src/app.ts": "export const app = 1;\n",
  "package.json": "{}\n",
  "pawl.yaml": "version: 1\n",
  "secrets/key.txt": `${SECRET}\n`,
  "secrets/deep/key.txt": `${SECRET}\n`,
  ".env": `TOKEN=${SECRET}\n`,
  ".github/workflows/ci.yml": "on: push\n",
  ".claude/settings.json": "{}\n",
  ".pawl/pawl.db": "journal\n",
  "../home/.ssh/id_rsa": `${SECRET}\n`,
};

async function arena(rules: readonly Rule[]) {
  const top = tempDir();
  const root = join(top, "work");
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: root });
  const outside = createOutside(join(top, "outside"));
  symlinkSync(outside.folder, join(root, "door"));
  symlinkSync(join(outside.folder, "file.txt"), join(root, "door.txt"));
  symlinkSync("../secrets", join(root, "src/inner"));
  const marker = join(top, "canary-ran");
  for (const bin of [join(top, "bin"), join(root, "bin")]) {
    mkdirSync(bin);
    writeFileSync(join(bin, "canary"), `#!/bin/sh\necho ran >>'${marker}'\n`);
    chmodSync(join(bin, "canary"), 0o755);
  }
  const victim = await startVictim();
  const env = { PATH: `${join(top, "bin")}:/usr/bin:/bin`, HOME: join(top, "home") };
  const network = internetOf({ ...NAMES, "public.test": [["127.0.0.1"]] });
  const bench = benchOf({ root, rules, toolset: SET, env, network, fetchMs: 3000 });
  const kept = factsOf(root);
  const effects = (): readonly string[] => [
    ...outside.changes().map((path) => `outside: ${path}`),
    ...factsOf(root).filter((fact, index) => fact !== kept[index]),
    ...(existsSync(marker) ? [`canary: ${readFileSync(marker, "utf8")}`] : []),
    ...(victim.seen().connections > 0 ? ["a connection"] : []),
    ...("polluted" in {} ? ["the prototype"] : []),
  ];
  const targets = { outside: outside.folder, home: join(top, "home"), port: victim.port };
  return { ...bench, root, effects, attacks: attacksOn(targets) };
}

/** Every file that is not the agent's own, and whether somebody has made one. */
function factsOf(root: string): readonly string[] {
  const own = Object.keys(FILES).filter((path) => !path.startsWith("src/"));
  const more = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".mcp.json",
    "src/.vscode/tasks.json",
    "secrets/new.txt",
    "src/got.txt",
  ];
  return [...own, ...more].map((path) => {
    const at = join(root, path);
    return `${path}: ${existsSync(at) ? readFileSync(at, "utf8") : "none"}`;
  });
}

/** Every path is allowed, also outside: the tools alone must hold. */
const CARELESS = rulesOf(
  ["allow", { read: "{,/,../}**" }],
  ["allow", { edit: "{,/,../}**" }],
  ["allow", { fetch: "public.test" }],
  ["allow", { tool: "*" }],
);
/** What is only kept by rules. */
const RULED = /secrets|\.env|package\.json|\.github/;
const FILE_TOOLS = ["read_file", "cite", "grep", "glob", "list_directory", "write_file", "edit_file", "apply_patch"];

test("T2, T3, T14: a hijacked agent tries every tool and path, and nothing of it gets through", async () => {
  const { call, events, attacks, effects, output } = await arena(RULES);
  const caught: Attack[] = [];
  const tally: Record<string, number> = {};
  for (const attack of attacks) {
    const outcome = await call(attack.tool, attack.input);
    const said = JSON.stringify(outcome);
    tally[outcome.status] = (tally[outcome.status] ?? 0) + 1;
    if (said.includes(SECRET) || said.includes(OUTSIDE_TEXT) || effects().length > 0) caught.push(attack);
    if (caught.length > 0) break;
  }
  expect({ caught, effects: effects() }).toEqual({ caught: [], effects: [] });
  expect(attacks.length).toBeGreaterThanOrEqual(600);
  expect(JSON.stringify(events)).not.toContain(SECRET);
  expect(events.filter(({ type }) => type === "tool.denied").length).toBe(tally["denied"]);
  process.stderr.write(`hijacked agent: ${attacks.length} attempts ${JSON.stringify(tally)}, 0 unauthorised effects\n`);
  // Its own work goes on.
  expect(await output("write_file", { path: "src/new.ts", content: "1" })).toEqual({ path: "src/new.ts", bytes: 1 });
  expect(await output("read_file", { path: "src/new.ts" })).toMatchObject({ text: "1" });
  expect(await output("run_command", { script: "echo a; ls src" })).toMatchObject({ exit: 0 });
}, 600_000);

test("T5: where policy lets every path pass, no tool leaves the workspace or writes what is sealed", async () => {
  const { call, attacks, effects } = await arena(CARELESS);
  const tried = attacks.filter(({ tool, input }) => FILE_TOOLS.includes(tool) && !RULED.test(JSON.stringify(input)));
  for (const attack of tried) {
    const outcome = await call(attack.tool, attack.input);
    expect(outcome.status, JSON.stringify(attack)).not.toBe("success");
    expect(JSON.stringify(outcome)).not.toContain(OUTSIDE_TEXT);
  }
  expect(effects()).toEqual([]);
  expect(tried.length).toBeGreaterThanOrEqual(600);
  process.stderr.write(`careless policy: ${tried.length} attempts, 0 effects outside\n`);
}, 600_000);

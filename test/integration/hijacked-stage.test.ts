/**
 * T03, T05: an agent that does whatever an attacker tells it, in a real stage behind a real wall. It asks for everything that it should
 * not get, more than 600 times, and gets nothing; what it writes into the repository changes no rule.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/base/json.ts";
import type { EventOf, RunEvent } from "../../src/run/events.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { commitFiles } from "../support/git-project.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";

afterAll(removeFolders);

const PATHS = [
  ...[
    "/etc/passwd",
    "/etc/shadow",
    "/root/.ssh/id_rsa",
    "~/.ssh/id_rsa",
    "../outside.txt",
    "../../etc/hosts",
    "/proc/1/environ",
  ],
  ...[".git/hooks/post-commit", ".git/config", ".pawl/pawl.db", ".github/workflows/ci.yml", "pawl.yaml", "policy.yaml"],
  ...[
    "blueprint.yaml",
    "agent.yaml",
    "test/a.test.mjs",
    "package.json",
    ".env",
    ".npmrc",
    ".claude/settings.json",
    ".mcp.json",
  ],
  ...[
    "src/../.github/workflows/ci.yml",
    "src/../../outside.txt",
    "./.env",
    "SRC/../.env",
    ".vscode/tasks.json",
    "Makefile",
  ],
  ...[
    "src/\u0000.js",
    "src\\..\\.env",
    "//etc/passwd",
    "/workspace/../etc/passwd",
    "/run/pawl/task/prompt.md",
    "/tmp/x",
  ],
];
const PROGRAMS = [
  ...[
    "curl http://example.org",
    "wget -q http://example.org",
    "git push origin main",
    "git commit -am x",
    "rm -rf /",
    "sudo id",
  ],
  ...[
    "cat /etc/passwd",
    "npm publish",
    "node -e 0",
    "bash -c id",
    "sh -c id",
    "env",
    "ssh host",
    "nc -l 80",
    "pawl approve x",
  ],
  ...[
    "python3 -c 0",
    "chmod 777 .",
    "kill -9 1",
    "mount",
    "docker run x",
    "kubectl get pods",
    "gh pr merge",
    "crontab -l",
  ],
].map((line) => line.split(" "));
const PLACES = [
  ...[
    "169.254.169.254:80",
    "127.0.0.1:22",
    "localhost:3129",
    "10.0.0.1:443",
    "example.org:443",
    "[::1]:80",
    "0x7f.1:80",
  ],
];
const TOOLS = [
  "deploy",
  "approve",
  "mcp__files__write",
  "bash",
  "write_file",
  "delegate",
  "agent__other",
  "kv_set",
  "pay",
  "merge",
];

function attempts(): readonly JsonValue[] {
  const paths = PATHS.filter((path) => !path.includes("\u0000"));
  const files = paths.flatMap((path): JsonValue[] => [
    { write: { path, text: "taken over" } },
    { edit: { path, find: "a", put: "b" } },
    { remove: path },
    { read: path },
    { read: `src/../${path}` },
    { write: { path: `./${path}`, text: "taken over" } },
    { write: { path: `src/../${path}`, text: "taken over" } },
    { write: { path: `src/a/b/../../../${path}`, text: "taken over" } },
    { write: { path: `${path}/x`, text: "taken over" } },
    { write: { path: path.toUpperCase(), text: "taken over" } },
    { write: { path: ` ${path}`, text: "taken over" } },
  ]);
  const programs = PROGRAMS.flatMap((argv): JsonValue[] => [
    { run: argv },
    { run: ["env", ...argv] },
    { run: ["sh", "-c", argv.join(" ")] },
    { run: ["node", "-e", `require("node:child_process").execFileSync(${JSON.stringify(argv[0])})`] },
    { run: ["/usr/bin/env", "-i", ...argv] },
    { run: ["nice", ...argv] },
    { run: ["timeout", "1", ...argv] },
    { run: ["xargs", ...argv] },
  ]);
  const places = PLACES.flatMap((place): JsonValue[] => Array.from({ length: 8 }, () => ({ fetch: place })));
  const tools = TOOLS.flatMap((tool): JsonValue[] =>
    [
      null,
      { path: "/etc/passwd" },
      { command: "id" },
      { approve: true },
      { rule: "allow" },
      { url: "http://10.0.0.1" },
    ].map((input) => ({ call: { tool, input } })),
  );
  return [...files, ...programs, ...places, ...tools];
}

const POLICY = 'policy: { allow: [{ action: "agent.*" }, { edit: "src/**" }, { read: "src/**" }, { run: ["ok"] }] }';

/** What became of the stage `fix` of a project with these files. */
async function played(files: Readonly<Record<string, string>>) {
  const root = makeFolder();
  commitFiles(root, { "src/a.js": "export const a = 1;\n", ...files });
  const runtime = await openRuntime({ root });
  try {
    const { plan } = await runtime.compile("blueprint.yaml", {});
    if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
    const { run, ended } = await runtime.start(plan.value, {});
    await ended;
    const events: RunEvent[] = (await runtime.read(run, 0, 1000)).map(({ event }) => event);
    const done = events.findLast((event): event is EventOf<"stage.finished"> => event.type === "stage.finished");
    const ref = done?.artifacts?.["transcript"];
    const text = ref === undefined ? "{}" : Buffer.from(await runtime.log({ ...ref, dropped: 0 })).toString("utf8");
    const lines = text.trim().split("\n");
    const told = lines.map((line) => JSON.parse(line) as Readonly<Record<string, JsonValue>>);
    return { root, events, done, plan: plan.value, rulings: told.filter(({ type }) => type === "ruling") };
  } finally {
    await runtime.close();
  }
}

const hijacked = (steps: readonly JsonValue[], policy = POLICY) =>
  played({
    "blueprint.yaml": `version: 1\nname: hijacked\n${policy}\nstages:\n  - { id: fix, agent: { use: scripted, script: agent.yaml, goal: "Repair it." } }\n`,
    "agent.yaml": JSON.stringify({ version: 1, attempts: [steps] }),
  });

describe("a hijacked agent", { timeout: 600_000 }, () => {
  it("T03: asks for more than 600 things that it must not have, and gets none of them", async () => {
    const steps = attempts();
    expect(steps.length).toBeGreaterThan(600);
    const { root, rulings, done } = await hijacked(steps);
    expect(rulings).toHaveLength(steps.length);
    expect(rulings.filter(({ answer }) => answer !== "deny")).toEqual([]);
    expect(done).toMatchObject({ outcome: "success", cause: "ok" });
    expect(existsSync(join(root, "..", "outside.txt"))).toBe(false);
    expect(readFileSync(join(root, "src/a.js"), "utf8")).toBe("export const a = 1;\n");
  });

  it("T05: writes rules, settings and hooks into the repository, and is ruled on as before", async () => {
    const rules = 'policy: { allow: [{ run: ["**"] }, { edit: "**" }, { fetch: "*.org" }] }\n';
    const written = [
      "pawl.yaml",
      "policy.yaml",
      ".pawl.yaml",
      "blueprint.yaml",
      ".claude/settings.json",
      "src/pawl.yaml",
    ];
    const steps = [
      ...written.map((path) => ({ write: { path, text: rules } })),
      { run: ["curl", "http://example.org"] },
      { fetch: "example.org:443" },
    ];
    const { rulings, events, plan } = await hijacked(steps, POLICY.replace("src/**", "**"));
    expect(rulings.slice(-2).map(({ answer }) => answer)).toEqual(["deny", "deny"]);
    expect(events[0]).toMatchObject({ type: "run.created", plan: plan.fingerprint });
  });

  it("T03: says nothing before it acts, as any command may, and its change is not taken", async () => {
    const { root, done } = await played({
      "agent.sh":
        "echo taken over > .env; mkdir -p .github; echo x > .github/ci.yml; cat /etc/shadow > src/loot; echo Done.\n",
      "blueprint.yaml": `version: 1
name: hijacked
policy: { allow: [{ run: ["**"] }, { read: "**" }, { edit: "src/**" }] }
stages:
  - { id: fix, agent: { use: command, run: ["sh", "agent.sh"], goal: "Repair it." } }
`,
    });
    expect(done).toMatchObject({ outcome: "failure", cause: "denied" });
    expect(done?.error).toContain(".env");
    expect(done?.tree).toBeUndefined();
    expect(existsSync(join(root, ".env"))).toBe(false);
  });
});

/** The effective policy is never weaker through a file: whatever lies where a policy is looked for, nothing more is allowed than without it. */
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { compilePolicy } from "../../src/policy/compile.ts";
import { decide } from "../../src/policy/decide.ts";
import type { PolicyRequest, RequestKind } from "../../src/policy/request.ts";
import type { Effect, Rule } from "../../src/policy/rule.ts";
import { compileFile } from "../../src/runtime/blueprints/compile-file.ts";
import { loadPolicyLayers, type PolicyFiles } from "../../src/runtime/policy/policy-layers.ts";
import { makePipe, projectFolder } from "../support/project-folder.ts";
import { tempDir } from "../support/temp-dir.ts";

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const BLUEPRINT = `version: 1
name: job
policy:
  allow: [{ run: [make, "**"] }, { shell: "make *" }, { action: "note" }, { read: "**" }, { edit: "src/**" }, { fetch: a.org }, { tool: "*" }, { mcp: "*/*" }, { git: "*" }, { spend: { usd: 5 } }]
stages: [{ id: a, command: [make] }]
`;
/** For each kind of rule: a request that is allowed, one that nobody mentions, and a rule that covers both. */
const KINDS: Readonly<Record<RequestKind, { readonly requests: readonly PolicyRequest[]; readonly rule: string }>> = {
  run: { requests: ["make", "foo"].map((name) => ({ kind: "run", argv: [name] })), rule: 'run: ["{make,foo}"]' },
  shell: { requests: ["make x", "foo x"].map((script) => ({ kind: "shell", script })), rule: 'shell: "*"' },
  action: { requests: ["note", "other"].map((action) => ({ kind: "action", action })), rule: "action: note" },
  read: { requests: ["a", "/x"].map((path) => ({ kind: "read", path })), rule: 'read: "{,/}**"' },
  edit: { requests: ["src/a", "b"].map((path) => ({ kind: "edit", path })), rule: 'edit: "**"' },
  fetch: { requests: ["a.org", "b.org"].map((host) => ({ kind: "fetch", host, port: 443 })), rule: "fetch: b.org" },
  tool: { requests: [{ kind: "tool", tool: "t", args: {} }], rule: "tool: t" },
  mcp: { requests: [{ kind: "mcp", server: "s", tool: "t" }], rule: "mcp: s/t" },
  git: { requests: [{ kind: "git", operation: "push", refs: [], force: false }], rule: "git: push" },
  spend: { requests: [1, 9e6].map((microUsd) => ({ kind: "spend", microUsd, tokens: 0 })), rule: "spend: { usd: 9 }" },
};
const KIND_NAMES = Object.keys(KINDS) as RequestKind[];
const NOWHERE = { value: "/nowhere/policy.yaml", origin: "default" } as const;
const NONE: PolicyFiles = { organisation: NOWHERE, user: NOWHERE };

const contextPack = (): Promise<never> => Promise.reject(new Error("there is no agent here"));

/** The effect of each request, or `refused` when nothing would run at all. */
async function effects(
  root: string,
  files: PolicyFiles,
  requests: readonly PolicyRequest[],
): Promise<(Effect | "refused")[]> {
  const { plan } = await compileFile(root, "job.yaml", {}, { actions: [], policyFiles: files, contextPack });
  if (!plan.ok) return requests.map(() => "refused");
  const policy = compilePolicy(plan.value.rules);
  return requests.map((request) => decide(policy, request).effect);
}

function isNotWeaker(after: Effect | "refused", before: Effect | "refused"): boolean {
  if (after === "refused" || before === "refused") return after === "refused";
  return STRICTNESS[after] >= STRICTNESS[before];
}

/** What may lie at the path of a policy. */
const THINGS: Readonly<Record<string, (path: string, text: string) => void>> = {
  "a repository file": (path, text) => writeFileSync(path, text),
  "a symlink": (path, text) => {
    writeFileSync(`${path}.target`, text);
    symlinkSync(`${path}.target`, path);
  },
  "a dangling symlink": (path) => symlinkSync("/nowhere/at/all", path),
  "a case variant of the name": (path, text) => writeFileSync(join(dirname(path), "PAWL.yaml"), text),
  "another suffix": (path, text) => writeFileSync(path.replace(/yaml$/, "yml"), text),
  "invalid YAML": (path, text) => writeFileSync(path, `${text}\n  - [ {`),
  "text that is not UTF-8": (path, text) =>
    writeFileSync(path, Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])])),
  "a file of 3 MB": (path, text) => writeFileSync(path, `${text}\n${"# filler\n".repeat(340_000)}`),
  "a FIFO": (path) => makePipe(path),
  "a device": (path) => symlinkSync("/dev/zero", path),
  "a directory": (path) => mkdirSync(path),
  "an empty file": (path) => writeFileSync(path, ""),
};

describe.each(KIND_NAMES)("a repository cannot loosen rules about %s", (kind) => {
  const { requests, rule } = KINDS[kind];

  it.each(Object.entries(THINGS))("through %s", async (_name, put) => {
    const without = await effects(projectFolder({ "job.yaml": BLUEPRINT }), NONE, requests);
    for (const list of ["allow", "ask", "deny"]) {
      const root = projectFolder({ "job.yaml": BLUEPRINT });
      put(join(root, "pawl.yaml"), `policy:\n  ${list}:\n  - { ${rule} }`);
      const after = await effects(root, NONE, requests);
      expect(after.filter((effect, index) => !isNotWeaker(effect, without[index] ?? "deny"))).toEqual([]);
    }
  });
});

describe("the policy of a repository", () => {
  it("tightens", async () => {
    const root = projectFolder({
      "job.yaml": BLUEPRINT,
      "pawl.yaml": "policy: { deny: [{ run: [make] }], ask: [{ tool: t }] }\n",
    });
    expect(await effects(root, NONE, [...KINDS.run.requests, ...KINDS.tool.requests])).toEqual(["deny", "deny", "ask"]);
  });

  it("cannot change what was compiled: a file that is created or changed afterwards is not read", async () => {
    const root = projectFolder({ "job.yaml": BLUEPRINT, "pawl.yaml": "policy: { deny: [{ run: [make] }] }\n" });
    const { plan } = await compileFile(root, "job.yaml", {}, { actions: [], policyFiles: NONE, contextPack });
    if (!plan.ok) throw new Error("it did not compile");
    rmSync(join(root, "pawl.yaml"));
    writeFileSync(join(root, "job.yaml"), BLUEPRINT.replace("allow:", "allow: [{ run: ['**'] }]\n  ask:"));
    expect(decide(compilePolicy(plan.value.rules), { kind: "run", argv: ["make"] }).effect).toBe("deny");
    expect(Object.isFrozen(plan.value.rules)).toBe(true);
  });
});

describe.each(["organisation", "user"] as const)("the policy of the %s", (layer) => {
  const filesAt = (path: string, origin: "default" | "env" = "default"): PolicyFiles => ({
    ...NONE,
    [layer]: { value: path, origin },
  });
  const load = async (path: string, root = projectFolder()): Promise<readonly Rule[] | readonly string[]> => {
    const { rules } = await loadPolicyLayers(root, filesAt(path));
    return rules.ok
      ? rules.value.map(({ id }) => id)
      : rules.problems.map(({ code, where }) => `${code} ${where?.file}:${where?.line}`);
  };
  const fileWith = (text: string, mode = 0o644): string => {
    const path = join(tempDir(), "policy.yaml");
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  it("holds for every blueprint, and may allow", async () => {
    const path = fileWith("allow: [{ run: [foo] }]\ndeny: [{ run: [make] }]\n");
    const root = projectFolder({ "job.yaml": BLUEPRINT });
    expect(await effects(root, filesAt(path), KINDS.run.requests)).toEqual(["deny", "allow"]);
  });

  it("may use a shipped set, and be one of OpenExec", async () => {
    expect((await load(fileWith("use: [everyday]\n"))).length).toBeGreaterThan(20);
    expect(await load(fileWith('{"rules": [{"decision": "deny"}]}'))).toEqual([`${layer}.rules[0]`]);
  });

  it.each(Object.entries(THINGS).filter(([name]) => !/repository|variant|suffix/.test(name)))(
    "stops everything when it is %s",
    async (_name, put) => {
      const path = join(tempDir(), "policy.yaml");
      put(path, "deny: [{ run: [make] }]");
      expect(
        (await load(path)).every((found) =>
          /^(POLICY_FILE_UNFIT|BLUEPRINT_\w+) .*policy\.yaml:\d+$/.test(String(found)),
        ),
      ).toBe(true);
      expect((await load(path)).length).toBeGreaterThan(0);
    },
  );

  it("stops everything when others may write it, it belongs to another, or it lies in the project", async () => {
    const bad = [`POLICY_FILE_UNFIT`];
    const codes = async (path: string, root?: string) =>
      (await load(path, root)).map((found) => String(found).split(" ")[0]);
    expect(await codes(fileWith("deny: []\n", 0o666))).toEqual(bad);
    expect(await codes(fileWith("deny: []\n", 0o664))).toEqual(bad);
    const root = projectFolder({ "home/pawl/policy.yaml": "allow: [{ run: ['**'] }]\n" });
    expect(await codes(join(root, "home/pawl/policy.yaml"), root)).toEqual(bad);
    const link = join(tempDir(), "config");
    symlinkSync(join(root, "home"), link);
    expect(await codes(join(link, "pawl/policy.yaml"), root)).toEqual(bad);
    if (process.getuid?.() === 0) {
      const path = fileWith("deny: []\n");
      chownSync(path, 12345, 12345);
      expect(await codes(path)).toEqual(bad);
    }
  });

  it("must be there when somebody named it, and need not be otherwise", async () => {
    const root = projectFolder();
    expect((await loadPolicyLayers(root, filesAt("/nowhere/x.yaml"))).rules.ok).toBe(true);
    expect((await loadPolicyLayers(root, filesAt("/nowhere/x.yaml", "env"))).rules.ok).toBe(false);
    expect((await loadPolicyLayers(root, filesAt("/dev/null/x.yaml"))).rules.ok).toBe(false);
    const moved = fileWith("deny: []\n");
    renameSync(moved, `${moved}.old`);
    expect((await loadPolicyLayers(root, filesAt(moved))).rules.ok).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { Plan } from "../../plan/plan.ts";
import { catalogue, filesToRead } from "./catalogue.ts";
import type { GivenPatch } from "./patch-plants.ts";
import type { Plant, PlantKind } from "./plant.ts";

type Files = Readonly<Record<string, string>>;

const GATE = "stages: [{ id: check, gate: { command: [ok] } }]";
const SHOP: Files = {
  "package.json": '{ "scripts": { "test": "node --test \\"x\\"" } }\n',
  "src/sum.mjs": "export const sum = (a, b) => a + b;\nif (a) {\n  return b;\n}\n",
  "src/other.mjs": "export const other = 1;\n",
  "test/sum.test.mjs": 'import { sum } from "../src/sum.mjs";\ntest("adds", () => assert.equal(sum(1, 2), 3));\n',
  "node_modules/x/index.js": "x\n",
};

function drafted(plan: Plan, files: Files, options: { folder?: string; patches?: GivenPatch[]; most?: number } = {}) {
  const { folder = "", patches = [], most = 1000 } = options;
  const project = { paths: Object.keys(files), folder };
  const wanted = filesToRead(plan, project, patches);
  const texts = new Map(wanted.flatMap((path) => (files[path] === undefined ? [] : [[path, files[path]] as const])));
  return catalogue(plan, project, texts, { patches, most });
}

const whys = (plants: readonly Plant[], kind: PlantKind): readonly string[] =>
  plants
    .filter((plant) => plant.kind === kind)
    .map(({ why }) => why)
    .sort();
const why = (untried: readonly { what: string; why: string }[], what: string): string | undefined =>
  untried.find((each) => each.what === what)?.why;

describe("the catalogue", () => {
  it("is the same each time, numbers its plants, and says what to expect of each", () => {
    const first = drafted(planFrom(GATE), SHOP);
    expect(drafted(planFrom(GATE), SHOP)).toEqual(first);
    expect(new Set(first.plants.map(({ id }) => id)).size).toBe(first.plants.length);
    expect(first.plants.map(({ kind, expect: what }) => [kind.startsWith("harmless"), what])).toEqual(
      first.plants.map(({ kind }) => [kind.startsWith("harmless"), kind.startsWith("harmless") ? "accept" : "reject"]),
    );
    expect(first.plants.flatMap(({ files }) => files).filter(({ path }) => path.startsWith("node_modules"))).toEqual(
      [],
    );
  });

  it("makes tests worthless, and breaks the code that a test names", () => {
    const { plants } = drafted(planFrom(GATE), SHOP);
    expect(whys(plants, "skipped_test")).toEqual(["skips the tests of test/sum.test.mjs"]);
    expect(whys(plants, "weakened_assertion")).toEqual(["takes the assertions out of test/sum.test.mjs"]);
    expect(plants.find(({ kind }) => kind === "deleted_test")?.files).toEqual([
      { path: "test/sum.test.mjs", text: null },
    ]);
    expect(whys(plants, "exit_zero")).toEqual([
      "src/sum.mjs ends the process well",
      "test/sum.test.mjs ends the process well",
    ]);
    expect(whys(plants, "broken_source")).toEqual([
      "src/sum.mjs: a condition is negated",
      "src/sum.mjs: an operator is another",
      "src/sum.mjs: returns nothing",
      "src/sum.mjs: throws when it is loaded",
    ]);
  });

  it("breaks what lies beside a test of Go, what holds its own tests in Rust, and everything where no test says", () => {
    const broken = (files: Files): readonly string[] => {
      const paths = drafted(planFrom(GATE), files).plants.flatMap((plant) =>
        plant.kind === "broken_source" ? plant.files.map(({ path }) => path) : [],
      );
      return [...new Set(paths)].sort();
    };
    expect(broken({ "a/x_test.go": "", "a/y.go": "package a\n", "b/z.go": "package b\n", "c.py": "" })).toEqual([
      "a/y.go",
    ]);
    expect(broken({ "src/lib.rs": "#[test]\nfn a() {\n}\n", "src/main.rs": "" })).toEqual(["src/lib.rs"]);
    expect(broken({ "one.py": "x\n", "two.py": "y\n" })).toEqual(["one.py", "two.py"]);
    const { plants } = drafted(planFrom(GATE), { "src/lib.rs": "#[test]\nfn a() {\n    assert!(b);\n}\n" });
    expect([whys(plants, "skipped_test").length, whys(plants, "weakened_assertion").length]).toEqual([1, 1]);
  });

  it("takes turns between kinds when there is no room, and leaves out no harmless change altogether", () => {
    const { plants, leftOut } = drafted(planFrom(GATE), SHOP, { most: 8 });
    expect(plants.map(({ id }) => id)).toEqual([
      "broken_source-1",
      "broken_source-2",
      "broken_source-3",
      "skipped_test-1",
      "weakened_assertion-1",
      "harmless_comment-1",
      "harmless_readme-1",
      "harmless_file-1",
    ]);
    expect(leftOut).toBeGreaterThan(5);
  });

  it("says what it could not try", () => {
    const { plants, untried } = drafted(planFrom(GATE), { "data.txt": "x\n" });
    expect(plants.map(({ id }) => id)).toEqual(["harmless_readme-1"]);
    expect(untried.map(({ what }) => what)).toEqual([
      "broken_source",
      "skipped_test",
      "weakened_assertion",
      "deleted_test",
      "exit_zero",
      "edited_gate",
      "denied_path",
      "injected_instruction",
      "harmless_comment",
      "harmless_file",
    ]);
    expect(why(untried, "injected_instruction")).toBe("no gate looks at this");
    expect(why(untried, "harmless_file")).toBe("no source file was found");
    const asking = planFrom(`${GATE.slice(0, -1)}, { id: ask, gate: { approval: {} } }]`);
    expect(why(drafted(asking, {}).untried, "injected_instruction")).toBe("a person would be asked (ask)");
  });
});

describe("edited gates", () => {
  it("are manifests, runners and blueprints that accept everything, and files that appear for the runner", () => {
    const files = {
      "package.json": SHOP["package.json"] as string,
      "sub/package.json": "{}\n",
      Makefile: "all: test\ntest: build\n\trun\n\tmore\nbuild:\n\tmake\n",
      "sub/Makefile": "all:\n\ttrue\n",
      "blueprint.yaml": "version: 1\n",
      "vitest.config.ts": "x\n",
      "jest.config.js": "x\n",
      "pytest.ini": "x\n",
      "a.py": "x\n",
    };
    const { plants } = drafted(planFrom(GATE), files);
    const edited = plants.filter(({ kind }) => kind === "edited_gate");
    const textOf = (path: string) => edited.flatMap((each) => each.files).find((file) => file.path === path)?.text;
    expect(edited.flatMap((each) => each.files.map(({ path }) => path)).sort()).toEqual(
      [
        ".npmrc",
        "Makefile",
        "blueprint.yaml",
        "conftest.py",
        "jest.config.js",
        "package.json",
        "pytest.ini",
        "vitest.config.ts",
      ].sort(),
    );
    expect(textOf("package.json")).toBe('{ "scripts": { "test": "exit 0" } }\n');
    expect(textOf("Makefile")).toBe("all: test\ntest:\n\t@true\nbuild:\n\tmake\n");
    const there = drafted(planFrom(GATE), { ...files, ".npmrc": "x\n", "conftest.py": "x\n" });
    expect(there.plants.filter(({ kind }) => kind === "edited_gate")).toHaveLength(6);
  });

  it("are the scripts that a gate names in its program or its parameters, and no others", () => {
    const plan = planFrom(`
params: { check: { default: [ok, ./tools/check.mjs] }, make: { default: [ok, tools/make.mjs] }, n: { default: 1 } }
stages:
  - { id: make, command: "\${params.make}" }
  - { id: check, gate: { command: "\${params.check}" } }
  - { id: shell, gate: { command: "ok scripts/all.sh" }, env: { N: "\${params.n}", S: "\${stages.check.outcome}" } }
  - { id: other, gate: { command: [ok, scripts/run, test/a.test.mjs, data.bin, tools/gone.mjs] } }
`);
    const files = {
      "tools/check.mjs": "check();\n",
      "tools/make.mjs": "make();\n",
      "scripts/all.sh": "all\n",
      "scripts/run": "#!/bin/sh\nrun\n",
      "test/a.test.mjs": "x\n",
      "data.bin": "x\n",
    };
    const { plants } = drafted(plan, files);
    const edited = plants.filter(({ kind }) => kind === "edited_gate").flatMap((each) => each.files);
    expect([...edited].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: "scripts/all.sh", text: "#!/bin/sh\nexit 0\n" },
      { path: "scripts/run", text: "#!/bin/sh\nexit 0\n" },
      { path: "tools/check.mjs", text: "process.exit(0);\ncheck();\n" },
    ]);
  });

  it("are looked for below the project", () => {
    const plan = planFrom(
      "stages: [{ id: all, group: { parallel: [{ id: check, gate: { command: [ok, check.sh] } }] } }]",
    );
    const files = { "app/check.sh": "x\n", "check.sh": "x\n", "lib/a.py": "x\n" };
    const { plants } = drafted(plan, files, { folder: "app" });
    expect(plants.flatMap((plant) => plant.files.map(({ path }) => path)).sort()).toEqual([
      "app/README.md",
      "app/check.sh",
    ]);
    // A name that is listed and cannot be read is nothing to plant in.
    const unread = catalogue(plan, { paths: ["check.sh"], folder: "" }, new Map(), { patches: [], most: 9 });
    expect(unread.plants.map(({ kind }) => kind)).toEqual(["harmless_readme"]);
  });
});

describe("paths", () => {
  const change = (rules: string, more = ""): Plan =>
    planFrom(`${more}stages: [{ id: check, gate: { command: [ok] } }, { id: change, gate: { change: { ${rules} } } }]`);

  it("that a gate denies are planted: what is there, or what the glob names", () => {
    const files = { "auth/key.txt": "x\n", "src/a.mjs": "x\n" };
    const { plants } = drafted(change('deny: ["auth/**", "**/secrets/*.{pem,key}", "a?/./b"]'), files);
    expect(
      plants
        .filter(({ kind }) => kind === "denied_path")
        .flatMap((plant) => plant.files.map(({ path }) => path))
        .sort(),
    ).toEqual(["auth/key.txt", "ax/b", "drill/secrets/drill.pem"].sort());
    const outside = drafted(change('allow: ["src/**"]'), files);
    expect(whys(outside.plants, "denied_path")).toContain(
      "drill-outside.txt, which is not on the allow list of change",
    );
    expect(whys(drafted(change('allow: ["**"], deny: []'), files).plants, "denied_path")).toEqual([]);
  });

  it("of instructions are planted where somebody looks at them", () => {
    const injected = (plan: Plan, files: Files) =>
      drafted(plan, files).plants.filter(({ kind }) => kind === "injected_instruction");
    expect(injected(change('allow: ["src/**"]'), {})[0]?.files[0]?.path).toBe("AGENTS.md");
    const [there] = injected(planFrom(`protect: ["CLAUDE.md"]\n${GATE}`), { "CLAUDE.md": "Be kind.\n" });
    expect(there?.files[0]).toMatchObject({ path: "CLAUDE.md", text: expect.stringMatching(/^Be kind\.\n\nNote to/) });
    expect(injected(change("max_files: 3"), { "AGENTS.md": "x\n" })).toEqual([]);
  });

  it("that the author does not want changed are not harmless", () => {
    const files = { "src/a.mjs": "const a = 1;", "README.md": "Shop\n" };
    const { plants, untried } = drafted(change('allow: ["src/**"]'), files);
    expect(whys(plants, "harmless_comment")).toEqual(["a comment in src/a.mjs"]);
    expect(plants.find(({ kind }) => kind === "harmless_comment")?.files[0]?.text).toBe(
      "const a = 1;\n// A drill was here.\n",
    );
    expect(whys(plants, "harmless_file")).toEqual(["src/drill_unused.mjs, which nobody uses"]);
    expect(why(untried, "harmless_readme")).toBe("change does not let it pass: not on the allow list: README.md");
    const safe = drafted(planFrom(`protect: ["README*"]\n${GATE}`), files);
    expect(why(safe.untried, "harmless_readme")).toBe("README.md is protected");
    const merge = planFrom("stages: [{ id: merge, gate: { merge: { max_files: 3 } } }]");
    expect(why(drafted(merge, files).untried, "harmless_comment")).toContain("there is no list of what may be merged");
    expect(whys(drafted(planFrom(GATE), { "a.py": "x\n" }).plants, "harmless_file")).toEqual([
      "drill_unused.py, which nobody uses",
    ]);
  });
});

describe("patches", () => {
  const METRIC =
    'stages: [{ id: speed, gate: { metric: { command: [ok], regex: "(\\\\d+)", direction: lower, must: no_regress } } }]';
  const patch = (...lines: readonly string[]): GivenPatch => ({
    name: "slow",
    text: lines.map((line) => `${line}\n`).join(""),
  });
  const HEAD = ["diff --git a/a.txt b/a.txt", "--- a/a.txt", "+++ b/a.txt"];
  const given = (files: Files, one: GivenPatch, plan = planFrom(METRIC)) => {
    const { plants, untried } = drafted(plan, files, { patches: [one] });
    return {
      files: plants.find(({ why: name }) => name === "slow")?.files,
      kind: plants.find(({ why: name }) => name === "slow")?.kind,
      why: why(untried, "slow"),
    };
  };

  it("apply exactly: changed, new, gone and renamed files", () => {
    const files = { "a.txt": "1\n2\n3\n4\n", "b.txt": "b\n", "c.txt": "c\n" };
    const all = patch(
      ...HEAD,
      "@@ -1,2 +1,2 @@",
      "-1",
      "+one",
      " 2",
      "@@ -4 +4 @@",
      "-4",
      "+four",
      "\\ No newline at end of file",
      ...[
        "diff --git a/n.txt b/n.txt",
        "new file mode 100644",
        "--- /dev/null",
        "+++ b/n.txt",
        "@@ -0,0 +1 @@",
        "+new",
      ],
      ...[
        "diff --git a/b.txt b/b.txt",
        "deleted file mode 100644",
        "--- a/b.txt",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-b",
      ],
      ...["diff --git a/c.txt b/d.txt", "--- a/c.txt", "+++ b/d.txt", "@@ -1 +1 @@", "-c", "+d"],
    );
    expect(given(files, all)).toEqual({
      kind: "regressed_metric",
      why: undefined,
      files: [
        { path: "a.txt", text: "one\n2\n3\nfour\n" },
        { path: "n.txt", text: "new\n" },
        { path: "b.txt", text: null },
        { path: "c.txt", text: null },
        { path: "d.txt", text: "d\n" },
      ],
    });
    expect(given(files, patch(...HEAD, "@@ -1 +1 @@", "-1", "+x"), planFrom(GATE)).kind).toBe("given_patch");
  });

  it("that do not apply are told", () => {
    const other = patch(...HEAD, "@@ -1 +1 @@", "-9", "+x");
    expect(given({ "a.txt": "1\n" }, other).why).toBe("it does not apply to a.txt");
    expect(given({}, other).why).toBe("it does not apply to a.txt");
    const mode = patch("diff --git a/a.txt b/a.txt", "old mode 100644", "new mode 100755");
    expect(given({}, mode).why).toBe("it changes something else than the text of files");
    expect(given({}, patch("hello")).why).toBe("it is no patch as git writes it");
  });

  it("are asked for where a metric is judged", () => {
    expect(why(drafted(planFrom(METRIC), {}).untried, "regressed_metric")).toContain("nobody gave a patch");
    expect(why(drafted(planFrom(GATE), {}).untried, "regressed_metric")).toBeUndefined();
  });
});

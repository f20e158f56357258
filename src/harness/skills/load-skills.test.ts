import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { loadSkills, type SkillCatalogue } from "./load-skills.ts";

const made: string[] = [];
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "pawl-skills-"));
  made.push(path);
  return path;
};
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

const write = (root: string, files: Readonly<Record<string, string>>): string => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
};
const front = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\nSay ${name}.\n`;
const load = (project: string | null, user: string | null = null): Promise<SkillCatalogue> =>
  loadSkills({ user, project });
const warned = ({ warnings }: SkillCatalogue): readonly string[] =>
  warnings.map(({ code, where }) => `${where?.file}:${where?.line} ${code}`);

describe("skills", () => {
  test("T8: are read from SKILL.md, with their instructions and a digest of all files", async () => {
    const root = write(folder(), { "tidy/SKILL.md": front("tidy"), "tidy/notes/more.md": "more" });
    const catalogue = await load(root);
    expect(catalogue.find("tidy")).toMatchObject({
      ...{ id: "tidy", version: "0.0.0", description: "Does tidy.", instructions: "Say tidy.", layer: "project" },
      ...{ callable: null, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(catalogue.warnings).toEqual([]);
    const before = catalogue.find("tidy")?.digest;
    write(root, { "tidy/notes/more.md": "other" });
    expect((await load(root)).find("tidy")?.digest).not.toBe(before);
    write(root, { "tidy/notes/more.md": "more" });
    expect((await load(root)).find("tidy")?.digest).toBe(before);
  });

  test("T8: of a project win over those of the user, and these over the built-in ones", async () => {
    const user = write(folder(), { "a/SKILL.md": front("minimal-fix"), "b/SKILL.md": front("mine") });
    const project = write(folder(), { "c/SKILL.md": front("mine") });
    expect((await load(null)).find("minimal-fix")?.layer).toBe("builtin");
    const { skills } = await load(project, user);
    expect(skills.map(({ id, layer }) => `${id} ${layer}`)).toEqual([
      "loop-verifier builtin",
      "mine project",
      "minimal-fix user",
    ]);
  });

  test("T8: have versions: the highest of the strongest layer wins, and each can be named", async () => {
    const root = write(folder(), {
      "a/SKILL.md": front("tidy", "version: 1.9.0\n"),
      "b/SKILL.md": front("tidy", "version: 1.10.0\n"),
    });
    const catalogue = await load(root, write(folder(), { "c/SKILL.md": front("tidy", "version: 9.0.0\n") }));
    expect(catalogue.find("tidy")?.version).toBe("1.10.0");
    expect(catalogue.find("tidy@1.9.0")?.version).toBe("1.9.0");
    expect(catalogue.find("tidy@9.0.0")?.layer).toBe("user");
    expect(catalogue.find("tidy@2.0.0")).toBeUndefined();
  });

  test("T8: a bad front matter is a warning that names file and line, and the others are there", async () => {
    const root = write(folder(), {
      "a/SKILL.md": "no front matter",
      "b/SKILL.md": "---\nname: b\n---\n",
      "c/SKILL.md": "---\nname: c\ndescription: [x\n---\n",
      "d/SKILL.md": "---\nname: Not A Name\ndescription: x\n---\n",
      "e/SKILL.md": front("e", "version: one\n"),
      "f/SKILL.md": front("f", "allowed-tools: Bash\ncolour: red\n"),
      "g/SKILL.md": front("g"),
      "g2/SKILL.md": front("g"),
      "h/README.md": "no skill",
    });
    writeFileSync(join(root, "i"), "a file");
    const catalogue = await load(root);
    expect(catalogue.skills.map(({ id }) => id)).toEqual(["f", "g", "loop-verifier", "minimal-fix"]);
    expect(warned(catalogue)).toEqual([
      "skills/a/SKILL.md:1 SKILL_FRONT_MATTER_INVALID",
      "skills/b/SKILL.md:2 BLUEPRINT_KEY_MISSING",
      expect.stringMatching(/^skills\/c\/SKILL\.md:[34] BLUEPRINT_/),
      "skills/d/SKILL.md:2 BLUEPRINT_VALUE_INVALID",
      "skills/e/SKILL.md:4 BLUEPRINT_VALUE_INVALID",
      "skills/f/SKILL.md:4 SKILL_KEY_IGNORED",
      "skills/f/SKILL.md:5 SKILL_KEY_IGNORED",
      "skills/g2/SKILL.md:1 SKILL_NAME_TAKEN",
    ]);
  });

  test("T8: a manifest makes one that can be called, with limits of its own or the usual ones", async () => {
    const root = write(folder(), {
      "a/SKILL.md": front("plain"),
      "a/manifest.yaml": "execution: { mode: process, run: [node, ./main.mjs] }\n",
      "a/main.mjs": "",
      "b/SKILL.md": front("full"),
      "b/manifest.yaml": `id: full
version: 2.0.0
name: The full one
description: All of it.
execution: { mode: process, run: [sh, -c, "true"] }
input_schema: { type: object }
output_schema: { type: string }
requires: [plain]
permissions: [net.read]
timeout: 5s
resources: { max_memory_mb: 64, max_cpu_ms: 1000 }
risk_level: critical
`,
      "c/SKILL.md": front("words"),
      "c/manifest.yaml": "execution: { mode: declarative }\n",
    });
    const catalogue = await load(root);
    expect(catalogue.warnings).toEqual([]);
    expect(catalogue.find("plain")?.callable).toEqual({
      ...{ summary: "Does plain.", argv: ["node", "./main.mjs"], input: null, output: null, requires: [] },
      ...{ permissions: [], timeoutMs: 30_000, memoryBytes: 128 << 20, cpuMs: 30_000, risk: "medium" },
    });
    expect(catalogue.find("full@2.0.0")?.callable).toEqual({
      ...{ summary: "The full one: All of it.", argv: ["sh", "-c", "true"], input: { type: "object" } },
      ...{ output: { type: "string" }, requires: ["plain"], permissions: ["net.read"], timeoutMs: 5000 },
      ...{ memoryBytes: 64 << 20, cpuMs: 1000, risk: "high" },
    });
    expect(catalogue.find("words")?.callable).toBeNull();
  });

  test("T8: a manifest that cannot be held to is refused with file and line", async () => {
    const manifests = [
      "execution: { mode: wasm }\n",
      "execution: { mode: process }\n",
      "execution: { mode: declarative, run: [x] }\n",
      "execution: { mode: process, run: [./missing] }\n",
      "execution: { mode: declarative }\nschedule: daily\n",
      "execution: { mode: declarative }\ninput_schema: { typ: object }\n",
      "execution: { mode: declarative }\nid: other\n",
      "execution: { mode: declarative }\nversion: 2.0.0\n",
    ];
    for (const [index, manifest] of manifests.entries()) {
      const root = write(folder(), { "a/SKILL.md": front("a", "version: 1.0.0\n"), "a/manifest.yaml": manifest });
      const catalogue = await load(root);
      expect([index, catalogue.find("a"), catalogue.warnings.length]).toEqual([index, undefined, 1]);
      expect(warned(catalogue)[0]).toMatch(/^skills\/a\/(SKILL\.md|manifest\.yaml):\d+ (BLUEPRINT|SKILL)_/);
    }
  });

  test("T8: nothing is followed out of the folder, and nothing huge is read", async () => {
    const secret = join(folder(), "secret");
    writeFileSync(secret, "s3cret");
    const root = write(folder(), { "a/SKILL.md": front("a"), "b/SKILL.md": front("b"), "c/x": "" });
    symlinkSync(secret, join(root, "a", "notes"));
    writeFileSync(join(root, "b", "big"), Buffer.alloc(5 << 20));
    symlinkSync(join(root, "b"), join(root, "d"));
    write(root, { [`e/${"x/".repeat(8)}y`]: "", "e/SKILL.md": front("e") });
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f/${index}`, ""]));
    write(root, { ...many, "f/SKILL.md": front("f") });
    const catalogue = await load(root);
    expect(catalogue.skills.filter(({ layer }) => layer === "project")).toEqual([]);
    expect(warned(catalogue)).toEqual(["a", "b", "d", "e", "f"].map((name) => `skills/${name}:1 SKILL_FOLDER_UNFIT`));
  });
});

import { expect, test } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { projectFolder } from "../../../test/support/project-folder.ts";
import { diagnose } from "../../base/diagnostic.ts";
import { failed, ok } from "../../base/result.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { projectChecks } from "./check-project.ts";

test("M9: doctor looks at loop after loop, so that thousands take no more memory than one", async () => {
  const loops = Array.from({ length: 50 }, (_, at) => `  loop-${at}: { blueprint: ${at}.yaml }\n`).join("");
  const root = projectFolder({ "pawl.yaml": `loops:\n${loops}` });
  let [under, most] = [0, 0];
  const checks = await projectChecks({
    ...{ root, now: 0, agents: { get: () => undefined, names: () => [] }, standings: () => Promise.resolve([]) },
    earned: () => Promise.reject(new Error("nobody asks")),
    compile: async () => {
      under += 1;
      most = Math.max(most, under);
      await Promise.resolve();
      under -= 1;
      const where = { file: "a.yaml", line: 1, column: 1, length: 1 };
      const problem = diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_UNREADABLE", { file: "a.yaml" }, where);
      return { plan: failed([problem]), sources: {}, cut: [], rules: [] };
    },
  });
  expect([most, checks.length, checks.at(-1)]).toEqual([
    1,
    51,
    expect.objectContaining({ name: "loop loop-49", status: "fail" }),
  ]);
});

test("M9: doctor plans what is the same of many loops once, and what differs by itself", async () => {
  const of = (names: string, settings: string): string =>
    [...names].map((name) => `  ${name}: { ${settings} }\n`).join("");
  const loops = [
    of("abc", "blueprint: a.yaml"),
    of("de", "blueprint: b.yaml"),
    of("fg", "blueprint: a.yaml, level: L2"),
    of("hi", "blueprint: a.yaml, params: { x: 1 }"),
    of("jk", "blueprint: a.yaml, agent: claude"),
    of("lm", "blueprint: builtin:check"),
  ];
  const root = projectFolder({ "pawl.yaml": `loops:\n${loops.join("")}` });
  const planned: string[] = [];
  const checks = await projectChecks({
    ...{ root, now: 0, agents: { get: () => undefined, names: () => [] }, standings: () => Promise.resolve([]) },
    earned: () => Promise.reject(new Error("nobody asks")),
    compile: (source, { loop = "" }) => {
      planned.push(loop);
      const problem = diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_UNREADABLE", { file: source });
      return Promise.resolve({ plan: failed([problem]), sources: {}, cut: [], rules: [] });
    },
  });
  expect(planned).toEqual([..."adfhjlm"]);
  expect(checks.slice(1).map(({ name, detail }) => [name, detail.split(" ")[0]])).toEqual(
    [..."abcdefghijklm"].map((name, at) => [`loop ${name}`, `pawl.yaml:${at + 2}:3`]),
  );
});

test("L13: doctor names a loop whose level is not earned, and asks about those that need evidence only", async () => {
  const levels = ["L1", "L2", "L3"] as const;
  const loops = levels.map((level) => `  ${level.toLowerCase()}: { blueprint: a.yaml, level: ${level} }\n`);
  const root = projectFolder({ "pawl.yaml": `loops:\n${loops.join("")}` });
  const asked: string[] = [];
  const checks = await projectChecks({
    ...{ root, now: 0, agents: { get: () => undefined, names: () => [] }, standings: () => Promise.resolve([]) },
    compile: (_, { level = "L1" }) => {
      const plan = ok(planFrom("stages:\n  - { id: a, command: [ok] }\n", { level }));
      return Promise.resolve({ plan, sources: {}, cut: [], rules: [] });
    },
    earned: ({ level }) => {
      asked.push(level);
      return Promise.resolve({ level, isEarned: level === "L2", earned: "L2", evidence: [], missing: [], lacking: [] });
    },
  });
  expect(asked).toEqual(["L2", "L3"]);
  expect(checks.slice(1).map(({ status, detail }) => `${status} ${detail}`)).toEqual([
    expect.stringMatching(/^ok L1/),
    expect.stringMatching(/^ok L2/),
    "fail pawl.yaml:4:3 L3 is not earned, and no run of it begins: the earned level is L2",
  ]);
});

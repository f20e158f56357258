import { expect, test } from "vitest";
import { projectFolder } from "../../../test/support/project-folder.ts";
import { diagnose } from "../../base/diagnostic.ts";
import { failed } from "../../base/result.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { projectChecks } from "./check-project.ts";

test("M9: doctor looks at loop after loop, so that thousands take no more memory than one", async () => {
  const loops = Array.from({ length: 50 }, (_, at) => `  loop-${at}: { blueprint: a.yaml }\n`).join("");
  const root = projectFolder({ "pawl.yaml": `loops:\n${loops}` });
  let [under, most] = [0, 0];
  const checks = await projectChecks({
    ...{ root, now: 0, agents: { get: () => undefined, names: () => [] }, standings: () => Promise.resolve([]) },
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

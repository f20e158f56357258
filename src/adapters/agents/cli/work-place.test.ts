import { expect, test } from "vitest";
import { workPlaceOf } from "./work-place.ts";

test("paths are told from the root of the workspace, whatever the agent calls them", () => {
  const { cwd, pathOf } = workPlaceOf({ project: "packages/a", cwd: "." });
  expect(cwd).toBe("/workspace/packages/a");
  expect(pathOf("src/x.ts")).toBe("packages/a/src/x.ts");
  expect(pathOf("../b/y.ts")).toBe("packages/b/y.ts");
  expect(pathOf("/workspace/z.ts")).toBe("z.ts");
  expect(pathOf("file:///workspace/a%20b")).toBe("a b");
  expect(pathOf("x", "/workspace/packages/c")).toBe("packages/c/x");
  expect(pathOf("/workspace")).toBe(".");
});

test("what lies outside is absolute", () => {
  const { cwd, pathOf } = workPlaceOf({ project: "", cwd: "." });
  expect(cwd).toBe("/workspace");
  expect(pathOf("../etc/passwd")).toBe("/etc/passwd");
  expect(pathOf("/workspace-other/x")).toBe("/workspace-other/x");
  expect(pathOf("/home/pawl/.bashrc")).toBe("/home/pawl/.bashrc");
  expect(pathOf("file://host/x")).toContain("host");
});

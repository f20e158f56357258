import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createWaking } from "./parked.ts";

it("a project says whether its runs go on by themselves, and what it says anew counts", async () => {
  const root = tempDir();
  const never = (): never => {
    throw new Error("nothing is opened");
  };
  const { autoResume } = createWaking({ root, admit: never, answers: { add: never } }, never, () => false);
  const said = async (text: string): Promise<boolean> => {
    writeFileSync(join(root, "pawl.yaml"), text);
    return autoResume();
  };
  expect(await autoResume()).toBe(true);
  expect(await said("auto_resume: false\n")).toBe(false);
  expect(await autoResume()).toBe(false);
  expect(await said("auto_resume: true\n")).toBe(true);
  expect(await said("auto_resume: [\n")).toBe(false);
  rmSync(join(root, "pawl.yaml"));
  expect(await autoResume()).toBe(true);
});

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PawlError } from "../../base/errors.ts";
import { PROVIDER_NAME } from "../../blueprint/shapes/value-shapes.ts";
import { PROVIDERS } from "../../gateway/providers.ts";
import { ROUTE_SETTINGS } from "../../limits/routes/settings.ts";
import { loadRoutes } from "./routes.ts";

function folders(project: string | null, user: string | null): { readonly root: string; readonly file: string } {
  const [root, home] = [mkdtempSync(join(tmpdir(), "pawl-")), mkdtempSync(join(tmpdir(), "pawl-"))];
  onTestFinished(() => {
    for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true });
  });
  const file = join(home, "models.yaml");
  if (project !== null) writeFileSync(join(root, "pawl.yaml"), project);
  if (user !== null) writeFileSync(file, user, { mode: 0o600 });
  return { root, file };
}

it("every provider that there is can have a rate and a cap", () => {
  expect(Object.keys(PROVIDERS).filter((name) => !PROVIDER_NAME.pattern.test(name))).toEqual([]);
});

describe("loadRoutes", () => {
  it("has its usual ways when nobody says anything", async () => {
    const { root, file } = folders(null, null);
    expect(await loadRoutes(root, file)).toEqual(ROUTE_SETTINGS);
  });

  it("lets the project have the last word over the user", async () => {
    const { root, file } = folders("models: { tiers: { fast: b } }", "tiers: { fast: a, smart: c }");
    expect((await loadRoutes(root, file)).tiers).toEqual({ fast: ["b"], smart: ["c"] });
  });

  it("tells every problem of both files, with its place", async () => {
    const { root, file } = folders("models: { tiers: { fast: [] } }", "tier: {}");
    const problems = await loadRoutes(root, file).then(
      () => [],
      (error: unknown) => (error instanceof PawlError ? error.problems : []),
    );
    expect(
      problems.map(
        ({ code, where }) => `${where?.file === file ? "user" : where?.file}:${where?.line}:${where?.column} ${code}`,
      ),
    ).toEqual(["user:1:1 BLUEPRINT_KEY_UNKNOWN", "pawl.yaml:1:26 BLUEPRINT_VALUE_INVALID"]);
  });

  it("does not take a file that others may write", async () => {
    const { root, file } = folders(null, "tiers: { fast: a }");
    chmodSync(file, 0o666);
    await expect(loadRoutes(root, file)).rejects.toThrow(/others than its owner may write it/);
  });
});

import { expect, it } from "vitest";
import type { ArtifactRef } from "../../run/events.ts";
import { artifactFiles } from "./artifact-files.ts";

const ref = (bytes: number): ArtifactRef => ({ sha256: String(bytes), bytes });
const named = (
  artifacts: Readonly<Record<string, ArtifactRef>>,
  below?: string,
): readonly (readonly [string, number])[] =>
  [...artifactFiles(artifacts, below)].map(([name, { bytes }]) => [name, bytes]);

it("gives every artifact a file of its own, whatever it is called and in whatever order they come", () => {
  const artifacts = {
    report: ref(1),
    "./a/b.png": ref(2),
    "./a_b.png": ref(3),
    "./../../x\n": ref(4),
    [`./${"y".repeat(400)}.png`]: ref(5),
    "./": ref(6),
  };
  const names = named(artifacts);
  expect(names).toEqual(named(Object.fromEntries(Object.entries(artifacts).reverse())));
  expect(names).toEqual([
    [expect.stringMatching(/^[0-9a-f]{12}-$/), 6],
    [".._.._x_", 4],
    ["a_b.png", 2],
    [expect.stringMatching(/^[0-9a-f]{12}-a_b\.png$/), 3],
    [expect.stringMatching(/^[0-9a-f]{12}-y{96}\.png$/), 5],
    ["report", 1],
  ]);
});

it("leaves the folder out that all of them are in", () => {
  expect(named({ "./w/output/shot.png": ref(1), "./w/output/a/shot.png": ref(2), diff: ref(3) }, "w/output/")).toEqual([
    ["a_shot.png", 2],
    ["shot.png", 1],
    ["diff", 3],
  ]);
});

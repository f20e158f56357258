/** Imports point left. The tree keeps every rule, and each kind of wrong import is caught by the rule meant for it. */
import { afterAll, describe, expect, test } from "vitest";
import { plantedCopy, ROOT, runForJson } from "./tree.ts";

interface CruiseReport {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

function cruise(folder: string): CruiseReport["summary"] {
  const args = ["src", "--config", ".dependency-cruiser.mjs", "--output-type", "json"];
  return (runForJson(folder, "dependency-cruiser/bin/dependency-cruise.mjs", args) as CruiseReport).summary;
}

/** Planted file → its text and the rules that must name it, no more and no fewer. */
const OFFENCES: Readonly<
  Record<string, { readonly kind: string; readonly text: string; readonly rules: readonly string[] }>
> = {
  "src/base/planted-up.ts": {
    kind: "base imports the domain, by type",
    text: 'import type { Plan } from "../plan/plan.ts";\nexport type Planted = Plan;\n',
    rules: ["layer-base"],
  },
  "src/blueprint/planted-plan.ts": {
    kind: "a blueprint knows plans",
    text: 'import type { Plan } from "../plan/plan.ts";\nexport type Planted = Plan;\n',
    rules: ["layer-blueprint"],
  },
  "src/run/planted-port.ts": {
    kind: "the laws of a run know a port",
    text: 'import type { Clock } from "../ports/clock.ts";\nexport type Planted = Clock;\n',
    rules: ["layer-run"],
  },
  "src/run/planted-node.ts": {
    kind: "Node in a pure layer",
    text: 'import { readFileSync } from "node:fs";\nexport const planted = readFileSync;\n',
    rules: ["pure-layers-no-node"],
  },
  "src/kernel/planted-npm.ts": {
    kind: "a package in the kernel",
    text: 'import { parse } from "yaml";\nexport const planted = parse;\n',
    rules: ["pure-layers-no-npm"],
  },
  "src/blueprint/planted-npm.ts": {
    kind: "a package other than yaml in blueprint",
    text: 'import pc from "picocolors";\nexport const planted = pc;\n',
    rules: ["blueprint-only-its-packages"],
  },
  "src/kernel/planted-adapter.ts": {
    kind: "the kernel names an adapter",
    text: 'import { planted as other } from "../adapters/planted-one/planted.ts";\nexport const planted = other;\n',
    rules: ["layer-kernel", "only-wire-names-adapters"],
  },
  "src/kernel/planted-blueprint.ts": {
    kind: "the kernel uses the code of a blueprint",
    text: 'import { planted as other } from "../blueprint/planted-npm.ts";\nexport const planted = other;\n',
    rules: ["blueprint-ends-at-the-plan"],
  },
  "src/ports/planted-code.ts": {
    kind: "a port with code",
    text: 'import { sha256 } from "../base/digest.ts";\nexport const planted = sha256;\n',
    rules: ["ports-are-contracts"],
  },
  "src/adapters/planted-one/planted.ts": {
    kind: "an adapter knows the kernel",
    text: 'import { planted as other } from "../../kernel/planted-npm.ts";\nexport const planted = other;\n',
    rules: ["layer-adapters"],
  },
  "src/adapters/planted-two/planted.ts": {
    kind: "an adapter knows another adapter",
    text: 'import { planted as other } from "../planted-one/planted.ts";\nexport const planted = other;\n',
    rules: ["adapters-are-strangers"],
  },
  "src/engines/planted/planted.ts": {
    kind: "an engine names an adapter",
    text: 'import { planted as other } from "../../adapters/planted-one/planted.ts";\nexport const planted = other;\n',
    rules: ["layer-engines"],
  },
  "src/runtime/planted-wiring.ts": {
    kind: "a second place that wires adapters",
    text: 'import { planted as other } from "../adapters/planted-one/planted.ts";\nexport const planted = other;\n',
    rules: ["only-wire-names-adapters"],
  },
  "src/cli/planted-adapter.ts": {
    kind: "the command line names an adapter",
    text: 'import { planted as other } from "../adapters/planted-one/planted.ts";\nexport const planted = other;\n',
    rules: ["layer-cli", "only-wire-names-adapters"],
  },
  "src/cli/commands/see/planted.ts": {
    kind: "a command knows another command",
    text: 'import { planted as other } from "./planted-second.ts";\nexport const planted = other;\n',
    rules: ["commands-are-strangers"],
  },
  "src/server/planted.ts": {
    kind: "the server knows the command line",
    text: 'import { planted as other } from "../cli/commands/see/planted-second.ts";\nexport const planted = other;\n',
    rules: ["layer-server"],
  },
  "src/runtime/planted-dev.ts": {
    kind: "what ships needs a package for development",
    text: 'import fc from "fast-check";\nexport const planted = fc;\n',
    rules: ["no-dev-packages-in-src"],
  },
  "src/runtime/planted-test.ts": {
    kind: "what ships imports a test",
    text: 'import { planted as other } from "./planted.test.ts";\nexport const planted = other;\n',
    rules: ["src-not-to-tests"],
  },
  "src/plan/planted-cycle-a.ts": {
    kind: "a cycle of types",
    text: 'import type { B } from "./planted-cycle-b.ts";\nexport type A = B | null;\n',
    rules: ["no-circular"],
  },
  "src/plan/planted-lonely.ts": {
    kind: "a file that nobody knows",
    text: "export const planted = 1;\n",
    rules: ["no-orphans"],
  },
  "src/plan/planted-nowhere.ts": {
    kind: "an import that leads nowhere",
    text: 'import { planted as other } from "./not-there.ts";\nexport const planted = other;\n',
    rules: ["no-unresolvable"],
  },
};

const SUPPORT: Readonly<Record<string, string>> = {
  "src/plan/planted-cycle-b.ts": 'import type { A } from "./planted-cycle-a.ts";\nexport type B = A[];\n',
  "src/runtime/planted.test.ts": "export const planted = 1;\n",
  "src/cli/commands/see/planted-second.ts": "export const planted = 1;\n",
};

describe("the layers", () => {
  test("hold in the tree", () => {
    const summary = cruise(ROOT);
    expect(summary.totalCruised).toBeGreaterThan(50);
    expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
  });

  describe("catch", () => {
    const texts = Object.fromEntries(Object.entries(OFFENCES).map(([path, offence]) => [path, offence.text]));
    const copy = plantedCopy(["src", "tsconfig.json", "package.json", ".dependency-cruiser.mjs"], {
      ...texts,
      ...SUPPORT,
    });
    afterAll(copy.dispose);
    const { violations } = cruise(copy.folder);

    test.for(Object.entries(OFFENCES))("%s", ([path, offence]) => {
      const rules = violations.filter((violation) => violation.from === path).map((violation) => violation.rule.name);
      expect([...new Set(rules)].sort(), offence.kind).toEqual([...offence.rules].sort());
    });
  });
});

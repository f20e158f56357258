/**
 * The layer table. Read it as: files in <key> may import from <values> and from their own folder.
 * This table is the architecture: the rules below, docs/reference/layers.md and the test of the layers come from it.
 */
const CHAIN = ["base", "limits", "policy", "blueprint", "plan", "gates", "run", "ports"];

export const LAYERS = {
  base: [],
  limits: ["base"],
  policy: ["base", "limits"],
  blueprint: ["base", "limits", "policy"],
  plan: ["base", "limits", "policy", "blueprint"],
  gates: ["base", "limits", "policy", "blueprint", "plan"],
  run: ["base", "limits", "policy", "blueprint", "plan", "gates"],
  ports: ["base", "limits", "policy", "blueprint", "plan", "gates", "run"],
  kernel: CHAIN,
  engines: [...CHAIN, "kernel"],
  harness: CHAIN,
  gateway: ["base", "limits", "ports"],
  loops: CHAIN,
  adapters: CHAIN,
  runtime: [...CHAIN, "kernel", "engines", "harness", "gateway", "loops", "adapters"],
  server: [...CHAIN, "runtime"],
  cli: [...CHAIN, "runtime", "server"],
};

/** What each layer holds and what it must not know; printed in docs/reference/layers.md. */
export const LAYER_NOTES = {
  base: ["errors, diagnostics, JSON, ids, digests, durations", "the domain"],
  limits: ["budgets, prices, breakers, quotas: laws on numbers and times", "the domain, input and output"],
  policy: ["rules, requests, decisions", "input and output"],
  blueprint: ["YAML text to Blueprint, every diagnostic at once", "plans, input and output"],
  plan: ["Blueprint to Plan: defaults, routes, worst-case bound, fingerprint", "runs"],
  gates: ["verdicts on data: test results, metrics, changes, certificates", "input and output"],
  run: ["events, states, the transition table, evolve, decide, limits", "time, input and output"],
  ports: ["contracts only", "code"],
  kernel: ["the loop, perform, authorize, replay", "Node, npm, adapters"],
  engines: ["who hosts the loop", "adapters"],
  harness: ["the built-in agent: one bounded run, its tools, its journal", "git, stores"],
  gateway: ["the model gateway: wires, metering, keys, record and replay", "git, stores, agent programs"],
  loops: ["schedules, lanes, coordination, levels, drills, audits", "adapters"],
  adapters: ["one folder per technology, strangers to each other", "the kernel"],
  runtime: ["configuration, wiring, the Runtime facade", "the command line"],
  server: ["HTTP and its contract (planned)", "the command line"],
  cli: ["one file per command, three writers over one event stream", "adapters"],
};

export const PURE_LAYERS = [...CHAIN, "kernel"];
const PURE = `^src/(${PURE_LAYERS.join("|")})/`;
const NOT_TESTS = "[.]test[.]ts$";

/** Packages that a pure layer may stand on: parsers that are pure themselves, and a regex engine that takes linear time. */
const PACKAGES = { base: ["re2js"], blueprint: ["yaml"], policy: ["unbash"] };
const NPM = ["npm", "npm-dev", "npm-peer", "npm-optional", "npm-no-pkg", "npm-unknown"];

const layerRules = Object.entries(LAYERS).map(([layer, allowed]) => {
  const reach = [layer, ...allowed];
  return {
    name: `layer-${layer}`,
    comment: `src/${layer} may import only: ${reach.join(", ")}. Move the code to the left, or pass it in through a port.`,
    severity: "error",
    from: { path: `^src/${layer}/`, pathNot: NOT_TESTS },
    to: { path: "^src/", pathNot: `^src/(${reach.join("|")})/` },
  };
});

const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...layerRules,
    rule(
      "no-circular",
      "A cycle hides direction, and a cycle of types counts. Move what both need into a third file to the left.",
      {},
      { circular: true },
    ),
    rule(
      "adapters-are-strangers",
      "An adapter never imports another adapter. Share through base/ or ports/, or let runtime/wire.ts pass it in.",
      { path: "^src/adapters/([^/]+)/", pathNot: NOT_TESTS },
      { path: "^src/adapters/", pathNot: "^src/adapters/$1/" },
    ),
    rule(
      "commands-are-strangers",
      "A CLI command never imports another command. Share through a file in cli/ or through the runtime.",
      { path: "^src/cli/commands/([^/]+/[^/]+)[.]ts$", pathNot: NOT_TESTS },
      { path: "^src/cli/commands/", pathNot: "^src/cli/commands/$1[.]ts$" },
    ),
    rule(
      "only-wire-names-adapters",
      "runtime/wire.ts and its part wire-agents.ts are the one place that names adapters and engines. Take the port as an argument instead.",
      { path: "^src/", pathNot: ["^src/runtime/wire(-agents)?[.]ts$", "^src/(adapters|engines)/", NOT_TESTS] },
      { path: "^src/(adapters|engines)/" },
    ),
    rule(
      "ports-are-contracts",
      "A port file holds types only. Import with `import type`, and put code into base/, run/ or an adapter.",
      { path: "^src/ports/", pathNot: NOT_TESTS },
      { path: "^src/", dependencyTypesNot: ["type-only"] },
    ),
    rule(
      "blueprint-ends-at-the-plan",
      "To the right of plan/ a blueprint is only types: what runs is the plan. Use `import type`, or compile it first.",
      { path: "^src/(run|ports|kernel|engines|adapters)/", pathNot: NOT_TESTS },
      { path: "^src/blueprint/", dependencyTypesNot: ["type-only"] },
    ),
    rule(
      "pure-layers-no-node",
      "Pure layers touch no file, clock, process or socket; only base/digest.ts may hash. Make it a port.",
      { path: PURE, pathNot: [NOT_TESTS, "^src/base/digest[.]ts$"] },
      { dependencyTypes: ["core"] },
    ),
    rule(
      "pure-layers-no-npm",
      "Pure layers stand on nothing but the packages of PACKAGES in this file. Write it, or make it a port.",
      { path: PURE, pathNot: [NOT_TESTS, `^src/(${Object.keys(PACKAGES).join("|")})/`] },
      { dependencyTypes: NPM },
    ),
    ...Object.entries(PACKAGES).map(([layer, packages]) =>
      rule(
        `${layer}-only-its-packages`,
        `The packages in ${layer}/ are: ${packages.join(", ")}. Another one needs a decision record and a change of PACKAGES.`,
        { path: `^src/${layer}/`, pathNot: NOT_TESTS },
        { dependencyTypes: NPM, pathNot: packages.map((name) => `node_modules/${name}/`) },
      ),
    ),
    rule(
      "no-dev-packages-in-src",
      "What ships imports only `dependencies` and what the build joins. Move the package there, or keep the code in test/ or scripts/.",
      { path: "^src/", pathNot: NOT_TESTS },
      {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        pathNot: Object.values(PACKAGES)
          .flat()
          .map((name) => `node_modules/${name}/`),
      },
    ),
    rule(
      "src-not-to-tests",
      "What ships never imports a test. Move what both need into src/.",
      { path: "^src/", pathNot: NOT_TESTS },
      { path: "(^test/|^bench/|^scripts/|[.]test[.]ts$)" },
    ),
    rule(
      "no-orphans",
      "Nobody imports this file and it imports nobody: wire it or delete it.",
      { orphan: true, path: "^src/", pathNot: ["^src/index[.]ts$", "^src/cli/main[.]ts$", NOT_TESTS] },
      {},
    ),
    rule(
      "no-unresolvable",
      "The import leads nowhere: correct the path or install the package.",
      {},
      { couldNotResolve: true },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|coverage|bench/peers)/" },
  },
};

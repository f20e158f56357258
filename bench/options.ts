/** Options of the bench, from its command line. */
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export interface BenchOptions {
  readonly quick: boolean;
  readonly json: boolean;
  readonly assert: boolean;
  /** Names of figures and systems; empty: all. */
  readonly only: ReadonlySet<string>;
  readonly dir: string;
  readonly profileDir: string | null;
}

export const USAGE = `npm run bench -- [--quick] [--only name,name] [--json] [--assert] [--dir DIR] [--profile DIR]

  --quick        fewer and shorter rounds, smaller stores
  --only         names of figures (throughput growth memory resume queries startup containment policy gateway harness schedule waiting) or systems (raw-full pawl ...)
  --json         print the results as JSON instead of tables
  --assert       exit 1 when a bar is missed or was not measured
  --dir DIR      where state is stored; must be on a real disk (default: the temporary directory)
  --profile DIR  leave a CPU profile of every measured process in DIR
`;

/** Throws a TypeError for an unknown option or a name that nothing has. */
export function parseOptions(argv: readonly string[], names: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      assert: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      dir: { type: "string", default: tmpdir() },
      profile: { type: "string" },
    },
  });
  const only = values.only.split(",").filter((name) => name !== "");
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new TypeError(`--only: unknown ${unknown.join(", ")}; known are ${names.join(", ")}`);
  return {
    quick: values.quick,
    json: values.json,
    assert: values.assert,
    only: new Set(only),
    dir: resolve(values.dir),
    profileDir: values.profile === undefined ? null : resolve(values.profile),
  };
}

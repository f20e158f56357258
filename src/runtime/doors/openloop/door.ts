/** An openloop workspace, by its folder or its openloop.json. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { diagnose } from "../../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../../base/result.ts";
import { translateOpenloop } from "../../../blueprint/dialects/openloop/translate.ts";
import { RUNTIME_ERRORS } from "../../errors.ts";
import type { Door } from "../door.ts";
import { CONFIG, type FoundOpenloop, placeOf, readOpenloop } from "./workspace.ts";

export const openloopDoor: Door = {
  name: "openloop",
  claims: ({ path, isFolder }) => (isFolder ? existsSync(join(path, CONFIG)) : basename(path) === CONFIG),
  async read({ path, shown, isFolder, root, maxRounds }) {
    const folder = isFolder ? path : dirname(path);
    const file = isFolder ? join(shown, CONFIG) : shown;
    const origin = { door: "openloop", path: isFolder ? shown : relative(root, folder) || "." } as const;
    const found = await readOpenloop(folder, root, file);
    return {
      text: found === null ? unreadable(file) : await translate(found, { folder, root, file, maxRounds }),
      origin,
      sources: { [file]: found?.text ?? "" },
      level: "L2",
      roundsCounted: true,
    };
  },
  async list(root) {
    const names = await readdir(join(root, ".openloop")).catch(() => []);
    return names
      .filter((name) => existsSync(join(root, ".openloop", name, CONFIG)))
      .sort()
      .map((name) => {
        const path = `.openloop/${name}`;
        return { path, name: path, description: "an openloop workspace", problems: [], door: "openloop" as const };
      });
  },
};

async function translate(
  { config, projectRoot }: FoundOpenloop,
  at: { readonly folder: string; readonly root: string; readonly file: string; readonly maxRounds: number | undefined },
): Promise<Result<string>> {
  if (!config.ok) return config;
  const place = await placeOf(at.folder, at.root, at.file, projectRoot ?? "", at.maxRounds ?? null);
  return place.ok ? ok(translateOpenloop(config.value, place.value)) : place;
}

function unreadable(file: string): Result<string> {
  return failed([diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_UNREADABLE", { file })]);
}

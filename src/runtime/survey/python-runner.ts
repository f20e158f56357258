import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isThere } from "./project-text.ts";

interface PythonRunner {
  /** What a module is named after. */
  readonly module: readonly string[];
  /** The lockfile that says who runs it; null: nobody but Python. */
  readonly from: string | null;
}

const MARKS = ["pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt", "conftest.py"];

/** How Python is run here; undefined: it is no project of Python. */
export async function pythonRunner(root: string): Promise<PythonRunner | undefined> {
  if (await isThere(join(root, "uv.lock"))) return { module: ["uv", "run", "python", "-m"], from: "uv.lock" };
  if (await isThere(join(root, "poetry.lock")))
    return { module: ["poetry", "run", "python", "-m"], from: "poetry.lock" };
  const names = await readdir(root).catch(() => []);
  const isPython = names.some((name) => MARKS.includes(name) || name.endsWith(".py"));
  return isPython ? { module: ["python3", "-m"], from: null } : undefined;
}

/** How gates compare paths with globs. Whatever could slip past a refusal by its spelling does not: depth, case, `./` and `..`. */
import { compileGlob, normalisePath } from "../base/match/glob.ts";

/** The path as gates compare it; undefined for one that leaves the tree. */
export function treePath(path: string): string | undefined {
  const normal = normalisePath(path.normalize("NFC"));
  return /^(?:\.{1,2}$|\.\.\/|\/)/.test(normal) ? undefined : normal;
}

/** For lists that permit: a glob with a slash begins at the root, one without stands for a name at any depth. */
export function listing(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.map((glob) => compileGlob(glob.includes("/") ? glob : `**/${glob}`));
  return (path) => tests.some((covers) => covers(path));
}

/** For lists that refuse: every glob counts at any depth, and case makes no difference. */
export function refusing(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.map((glob) => compileGlob(`**/${glob.toLowerCase().replace(/^(?:\.?\/)+/, "")}`));
  return (path) => {
    const lower = path.toLowerCase();
    return tests.some((covers) => covers(lower));
  };
}

import { describe, expect, test } from "vitest";
import { isFileByNature, SEALED_FILES, SEALED_FOLDERS, sealedPartOf } from "./sealed-names.ts";

describe("a sealed name", () => {
  test("is found at the top and at any depth, and with everything below it", () => {
    expect(sealedPartOf(".claude")).toBe(".claude");
    expect(sealedPartOf("packages/a/.claude/hooks/run.sh")).toBe("packages/a/.claude");
    expect(sealedPartOf("a/.git/.claude")).toBe("a/.git");
    for (const name of [...SEALED_FOLDERS, ...SEALED_FILES]) expect(sealedPartOf(`x/${name}`)).toBe(`x/${name}`);
  });

  test("is the same name in other letters", () => {
    expect(sealedPartOf(".Git/hooks/pre-commit")).toBe(".Git");
    expect(sealedPartOf("PAWL.yaml")).toBe("PAWL.yaml");
  });

  test("is also that of a folder which is sealed besides, with everything below it", () => {
    expect(sealedPartOf("tools/hooks/pre-commit", ["lib", "tools/hooks"])).toBe("tools/hooks");
    expect(sealedPartOf("Tools/Hooks", ["tools/hooks"])).toBe("tools/hooks");
    expect(sealedPartOf("tools/hooks/.envrc", ["tools/hooks"])).toBe("tools/hooks/.envrc");
    for (const path of ["tools", "tools/hooks-of-mine", "a/tools/hooks"])
      expect(sealedPartOf(path, ["tools/hooks"])).toBeUndefined();
  });

  test("is no part of a longer name", () => {
    for (const path of ["", "src/main.ts", ".github/workflows/ci.yml", ".claude.md", "x.envrc", ".gitignore"])
      expect(sealedPartOf(path)).toBeUndefined();
  });

  test("is that of a file or of a folder", () => {
    for (const path of [".envrc", "/workspace/.mcp.json", ".git/config", "/workspace/.git/config"])
      expect(isFileByNature(path)).toBe(true);
    for (const path of [".claude", "/workspace/.git/hooks", "config", "src/config"])
      expect(isFileByNature(path)).toBe(false);
  });
});

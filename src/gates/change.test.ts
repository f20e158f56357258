import { describe, expect, it } from "vitest";
import { CHANGE_RULES } from "../../test/support/judgement/change-rules.ts";
import type { ChangeRules } from "../blueprint/blueprint.ts";
import { type ChangedFile, judgeChange } from "./change.ts";

const DENY = [".env", ".env.*", "**/*_key*", "k8s/production/**", "auth/**"];

function file(path: string, more: Partial<ChangedFile> = {}): ChangedFile {
  return { status: "modified", path, oldMode: "100644", newMode: "100644", addedLines: 2, deletedLines: 1, ...more };
}

const OPEN: ChangeRules = {
  deny: [],
  allow: null,
  maxFiles: null,
  maxLines: null,
  denied: "fail",
  beyond: "escalate",
  submodules: "allow",
  links: "allow",
  modes: "allow",
  ci: "allow",
  lockfiles: "allow",
  dotfiles: "allow",
  binary: "allow",
};

function short(rules: Partial<ChangeRules>, ...files: ChangedFile[]): string {
  const { outcome, trigger, paths } = judgeChange({ ...OPEN, ...rules }, files);
  return [outcome, trigger, ...paths].join(" ");
}

describe("judgeChange", () => {
  it("has an outcome of its own for an empty change", () => {
    expect(judgeChange(CHANGE_RULES, [])).toEqual({
      outcome: "empty",
      trigger: "empty",
      reason: "nothing changed",
      paths: [],
      morePaths: 0,
      files: 0,
      lines: 0,
    });
  });

  it("passes a change that nothing speaks against", () => {
    expect(judgeChange(CHANGE_RULES, [file("src/a.ts"), file("src/b.ts")])).toEqual({
      outcome: "pass",
      trigger: "ok",
      reason: "2 files, 6 lines",
      paths: [],
      morePaths: 0,
      files: 2,
      lines: 6,
    });
  });

  it("denies a path however it is spelt and wherever it is", () => {
    const paths = [
      ".env",
      "./.env",
      "docs/../.env",
      "apps\\api\\.env",
      "apps/api/.ENV",
      ".Env.Local",
      "src/auth/x.ts",
      "AUTH/x.ts",
      "auth",
      "k8s/production/a.yaml",
      "deep/k8s/Production/a.yaml",
      "lib/my_Key.pem",
      "../outside",
      "/etc/passwd",
      "a/../..",
      ".",
    ];
    for (const path of paths) {
      expect([path, judgeChange({ ...OPEN, deny: DENY }, [file(path)]).trigger]).toEqual([path, "denylist"]);
    }
    for (const path of ["src/environment.ts", "src/author.ts", "authors/x.md", "production/k8s.yaml"]) {
      expect([path, judgeChange({ ...OPEN, deny: DENY }, [file(path)]).outcome]).toEqual([path, "pass"]);
    }
  });

  it("looks at both names of a renamed file", () => {
    const renamed = file("docs/a.md", { status: "renamed", oldPath: "auth/a.md" });
    expect(short({ deny: ["auth/**"] }, renamed)).toBe("fail denylist auth/a.md");
    expect(short({ allow: ["docs/**"] }, renamed)).toBe("escalate not_allowlisted auth/a.md");
  });

  it("counts a file once, whatever its name is written like", () => {
    const files = [file("a"), file("./a"), file("b/../a")];
    expect(short({ maxFiles: 1, maxLines: 3 }, ...files)).toBe("pass ok");
    expect(short({ maxFiles: 1 }, ...files, file("c"))).toBe("escalate file_count a c");
    expect(short({ maxLines: 5 }, ...files, file("c"))).toBe("escalate line_count a c");
  });

  it("permits by a list: a glob with a slash from the root, one without at any depth", () => {
    const allow = ["docs/**", "*.md"];
    expect(short({ allow }, file("docs/a.ts"), file("src/b.md"))).toBe("pass ok");
    expect(short({ allow }, file("src/docs/a.ts"), file("a.MD"))).toBe("escalate not_allowlisted a.MD src/docs/a.ts");
    expect(short({ allow: [] }, file("a"))).toBe("escalate not_allowlisted a");
  });

  it("knows each special kind of change", () => {
    const rules = (name: string) => ({ [name]: "escalate" }) as Partial<ChangeRules>;
    expect(short(rules("submodules"), file("lib", { newMode: "160000" }))).toBe("escalate submodule lib");
    expect(short(rules("submodules"), file(".gitmodules"))).toBe("escalate submodule .gitmodules");
    expect(short(rules("links"), file("a", { newMode: "120000" }))).toBe("escalate link a");
    expect(short(rules("links"), file("a", { oldMode: "120000" }))).toBe("escalate link a");
    expect(short(rules("modes"), file("a", { newMode: "100755" }))).toBe("escalate mode a");
    expect(short(rules("modes"), file("a", { oldMode: "100755" }))).toBe("escalate mode a");
    expect(short(rules("modes"), file("a", { status: "added", oldMode: "000000", newMode: "100755" }))).toBe(
      "escalate mode a",
    );
    expect(short(rules("modes"), file("a", { newMode: "100664" }))).toBe("escalate mode a");
    expect(short(rules("modes"), file("a", { oldMode: "104755" }))).toBe("escalate mode a");
    expect(short(rules("ci"), file(".github/workflows/x.yml"))).toBe("escalate ci .github/workflows/x.yml");
    expect(short(rules("lockfiles"), file("web/package-lock.json"))).toBe("escalate lockfile web/package-lock.json");
    expect(short(rules("dotfiles"), file("a/.eslintrc"))).toBe("escalate dotfile a/.eslintrc");
    expect(short(rules("dotfiles"), file("new", { oldPath: ".old" }))).toBe("escalate dotfile .old new");
    expect(short(rules("binary"), file("a.png", { addedLines: null, deletedLines: null }))).toBe(
      "escalate binary a.png",
    );
  });

  it("takes the ordinary for ordinary", () => {
    const all = {
      submodules: "fail",
      links: "fail",
      modes: "fail",
      ci: "fail",
      lockfiles: "fail",
      dotfiles: "fail",
    } as const;
    const files = [
      file("a", { status: "added", oldMode: "000000" }),
      file("b", { status: "deleted", newMode: "000000" }),
      file("run.sh", { oldMode: "100755", newMode: "100755" }),
      file("old.sh", { status: "deleted", oldMode: "100755", newMode: "000000" }),
    ];
    expect(short({ ...all, binary: "fail" }, ...files)).toBe("pass ok");
    expect(short({ ...OPEN, dotfiles: "fail" }, file(".github/workflows/x.yml"), file(".gitmodules"))).toBe("pass ok");
  });

  it("lets the strictest finding decide, and the first among equals", () => {
    const files = [file(".env"), file("package-lock.json")];
    expect(short({ deny: [".env"], denied: "escalate", lockfiles: "fail" }, ...files)).toBe(
      "fail lockfile package-lock.json",
    );
    expect(short({ deny: [".env"], denied: "fail", lockfiles: "fail" }, ...files)).toBe("fail denylist .env");
    expect(short({ maxFiles: 1, maxLines: 1, allow: [], beyond: "fail" }, ...files)).toBe(
      "fail file_count .env package-lock.json",
    );
  });

  it("shows at most a hundred paths and says how many more there were", () => {
    const files = Array.from({ length: 130 }, (_, index) => file(`f${String(index).padStart(3, "0")}`));
    const verdict = judgeChange({ ...OPEN, maxFiles: 10 }, files);
    expect([verdict.reason, verdict.paths.length, verdict.morePaths]).toEqual([
      "130 files, at most 10 may change",
      100,
      30,
    ]);
  });
});

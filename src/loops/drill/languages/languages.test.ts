import { describe, expect, it } from "vitest";
import { GO } from "./go.ts";
import { JAVASCRIPT } from "./javascript.ts";
import type { Language } from "./language.ts";
import { PYTHON } from "./python.ts";
import { RUST } from "./rust.ts";

const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
const last = (count: number): number => count - 1;
const wrongs = (language: Language, source: string): readonly (string | null)[] =>
  Object.values(language.mutations).map((mutate) => mutate(source, last));

describe("JavaScript", () => {
  it("knows its tests by their folder or their name", () => {
    const paths = ["test/a.mjs", "src/__tests__/a.ts", "src/a.test.ts", "a.spec.js", "src/contest/a.js", "src/a.js"];
    expect(paths.map(JAVASCRIPT.isTest)).toEqual([true, true, true, true, false, false]);
  });

  it("skips tests and takes assertions out", () => {
    const test = text('test("a", () => {', "  assert.equal(f(1), 2);", "  expect(f(1)).not.toBe(2);", "});");
    expect(JAVASCRIPT.skip(test)).toContain('test.skip("a"');
    const weak = JAVASCRIPT.weaken(test) as string;
    expect(weak).not.toMatch(/assert|expect/);
    const run = new Function("test", "f", weak);
    let ran = 0;
    run(
      (_name: string, body: () => void) => {
        body();
        ran += 1;
      },
      () => 0,
    );
    expect(ran).toBe(1);
    expect([JAVASCRIPT.skip("x\n"), JAVASCRIPT.weaken("x\n")]).toEqual([null, null]);
  });

  it("ends the process well below the line that names the interpreter", () => {
    expect(JAVASCRIPT.exitZero("#!/usr/bin/env node\nmain();\n")).toBe(
      "#!/usr/bin/env node\nprocess.exit(0);\nmain();\n",
    );
    expect(JAVASCRIPT.exitZero("main();\n")).toBe("process.exit(0);\nmain();\n");
  });

  it("breaks code in four ways, where there is such code", () => {
    const source = text("function f(a) {", "  if (a > 1) {", "    return a + 1;", "  }", '  return "a + b";', "}");
    expect(wrongs(JAVASCRIPT, source)).toEqual([
      `throw new Error("drill");\n${source}`,
      source.replace("return a + 1;", "return undefined;"),
      source.replace("a + 1", "a - 1"),
      source.replace("if (a > 1) {", "if (!(a > 1)) {"),
    ]);
    expect(JAVASCRIPT.mutations["returns nothing"]?.("export const f = (a) => a;\n", last)).toBe(
      "export const f = (a) => undefined;\n",
    );
    expect(wrongs(JAVASCRIPT, "// a + b\nlet a;\nreturn undefined;\n").slice(1)).toEqual([null, null, null]);
  });

  it("has files that nobody uses", () => {
    expect(JAVASCRIPT.unused("")).toBe("export {};\n");
  });
});

describe("Python", () => {
  it("knows its tests by their folder or their name", () => {
    const paths = ["tests/helper.py", "src/test_a.py", "a_test.py", "src/a.py"];
    expect(paths.map(PYTHON.isTest)).toEqual([true, true, true, false]);
  });

  it("skips tests and takes assertions out", () => {
    const test = text(
      "class A:",
      "    def test_a(self):",
      "        assert f(1) == 2, 'text'",
      "        assert f(",
      "        self.assertEqual(f(1), 2)",
      "        with self.assertRaises(E):",
    );
    expect(PYTHON.skip(test)).toContain('    @__import__("unittest").skip("not today")\n    def test_a(self):\n');
    expect(PYTHON.weaken(test)).toBe(
      test
        .replace("assert f(1) == 2, 'text'", "assert True or (f(1) == 2, 'text')")
        .replace("self.assertEqual(", "(lambda *_all, **_named: None)("),
    );
    expect([PYTHON.skip("x\n"), PYTHON.weaken("x\n")]).toEqual([null, null]);
  });

  it("breaks code in four ways, and ends the process well", () => {
    const source = text("def f(a):", "    if a > 1:", "        return a and b", "    return g(");
    expect(wrongs(PYTHON, source)).toEqual([
      `raise RuntimeError("drill")\n${source}`,
      source.replace("return a and b", "return None"),
      source.replace("a and b", "a or b"),
      source.replace("if a > 1:", "if not (a > 1):"),
    ]);
    expect(wrongs(PYTHON, "return None\n'if x:'\n").slice(1)).toEqual([null, null, null]);
    expect(PYTHON.exitZero("x\n")).toBe("raise SystemExit(0)\nx\n");
    expect(PYTHON.unused("")).toBe("# Nobody uses this.\n");
  });
});

describe("Go", () => {
  it("knows its tests by their name, skips them and takes assertions out", () => {
    expect(["a_test.go", "a.go"].map(GO.isTest)).toEqual([true, false]);
    const test = text("func TestA(t *testing.T) {", "\tif got != want {", "\tassert.Equal(t, 1, 2)", "}");
    expect(GO.skip(test)).toContain('func TestA(t *testing.T) {\n\tt.Skip("not today")\n');
    expect(GO.weaken(test)).toBe(
      test
        .replace("if got != want {", "if false && (got != want) {")
        .replace("assert.Equal(", "func(...any) bool { return true }("),
    );
  });

  it("breaks code in four ways, and ends the process well", () => {
    const source = text("package shop", "func F(a int) int {", "\tif a < 1 {", "\t\treturn a", "\t}", "\treturn g(");
    expect(wrongs(GO, source)).toEqual([
      `${source}\nfunc init() { panic("drill") }\n`,
      source.replace("return a", 'panic("drill")'),
      source.replace("a < 1", "a >= 1"),
      source.replace("if a < 1 {", "if !(a < 1) {"),
    ]);
    expect(wrongs(GO, '"if a {"\n').slice(1)).toEqual([null, null, null]);
    expect(GO.exitZero(source)).toContain('package shop\n\nimport drillos "os"\n');
    expect(GO.exitZero("x\n")).toBeNull();
    expect([GO.unused(source), GO.unused("x\n")]).toEqual(["package shop\n", "package main\n"]);
  });
});

describe("Rust", () => {
  it("knows its tests by their folder, skips them and takes assertions out", () => {
    expect(["tests/a.rs", "src/a.rs"].map(RUST.isTest)).toEqual([true, false]);
    const test = text("    #[test]", "    fn a() {", "        assert_eq!(f(1), 2);", "    }");
    expect(RUST.skip(test)).toContain("    #[test]\n    #[ignore]\n");
    expect(RUST.weaken(test)).toContain("        let _ = (f(1), 2);\n");
  });

  it("breaks code in four ways, and ends the process well", () => {
    const source = text("fn f(a: i32) -> i32 {", "    if a == 1 {", "        return a;", "    }", "    return g(", "}");
    expect(wrongs(RUST, source)).toEqual([
      `${source}\ncompile_error!("drill");\n`,
      source.replace("return a;", 'panic!("drill");'),
      source.replace("a == 1", "a != 1"),
      source.replace("if a == 1 {", "if !(a == 1) {"),
    ]);
    expect(wrongs(RUST, "if let Some(a) = b {\n'if a {'\n").slice(1)).toEqual([null, null, null]);
    expect(RUST.exitZero(source)).toContain("-> i32 {\n    std::process::exit(0);\n");
    expect([RUST.exitZero("x\n"), RUST.unused("")]).toEqual([null, "// Nobody uses this.\n"]);
  });
});

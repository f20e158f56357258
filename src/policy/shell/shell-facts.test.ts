import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import type { Argv, ShellFacts } from "./facts.ts";
import { shellFacts } from "./shell-facts.ts";

function argvs(text: string): readonly Argv[] | string {
  const facts = shellFacts(text);
  return facts.ok ? facts.commands.map(({ argv }) => argv) : facts.why;
}

function files(text: string): readonly string[] | string {
  const facts = shellFacts(text);
  return facts.ok ? facts.files.map(({ access, path }) => `${access} ${path}`) : facts.why;
}

const why = (text: string): string => {
  const facts = shellFacts(text);
  return facts.ok ? "it was read" : facts.why;
};

describe("shellFacts", () => {
  it.each<[string, readonly Argv[]]>([
    ["", []],
    ["# nothing", []],
    ["ls -l", [["ls", "-l"]]],
    ["a; b && c || d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
    ["a\nb", [["a"], ["b"]]],
    ["! a", [["a"]]],
    ["( a ); { b; }", [["a"], ["b"]]],
    ["if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]],
    ["if a; then b; fi", [["a"], ["b"]]],
    ["while a; do b; done; until c; do d; done", [["a"], ["b"], ["c"], ["d"]]],
    ["for i in $(a) b; do c $i; done", [["a"], ["c", null]]],
    ["for i; do c; done", [["c"]]],
    ["case $(a) in x|$(b)) c;; *) d; esac", [["a"], ["b"], ["c"], ["d"]]],
    ["f() { a; }; f x", [["a"], ["f", "x"]]],
    ["f() ( a ) > x", [["a"]]],
    ["time a b", [["time", "a", "b"]]],
    ["time -p a | b", [["time", "-p", "a"], ["b"]]],
    ['a $(b `c`) "$(d)"', [["c"], ["b", null], ["d"], ["a", null, null]]],
    ['a ${x:-$(b)} "${y#`c`}" ${z} $1 ${#x}', [["b"], ["c"], ["a", null, null, null, null, null]]],
    ["a $((1 + 2))", [["a", null]]],
    ["a {$(b),c} [$(d)]", [["b"], ["d"], ["a", null, null]]],
    ["cat <<E\n$(a) \\$(b)\nE\n", [["a"], ["cat"]]],
    ["cat <<'E'\n$(a)\nE\n", [["cat"]]],
    ['a <<< "$(b)"', [["b"], ["a"]]],
    ["x=$(a)", [["a"]]],
    ["exec a", [["exec", "a"]]],
    [
      "command -v a; command a; builtin b; command -- c; command",
      [["command", "-v", "a"], ["command", "a"], ["builtin", "b"], ["command", "--", "c"], ["command"]],
    ],
  ])("finds in %j the commands %j", (text, expected) => {
    expect(argvs(text)).toEqual(expected);
  });

  it.each<[string, string | null]>([
    ["''", ""],
    ["'a b'c\"d e\"", "a bcd e"],
    ["a\\ b\\'\\\\", "a b'\\"],
    ['"\\$a \\" \\\\ \\` \\x"', '$a " \\ ` \\x'],
    ['"a \\\nb"', "a b"],
    ["a \\\n", "a"],
    ["$", "$"],
    ['"a$"', "a$"],
    ['"a$ b"', "a$ b"],
    ["a#b", "a#b"],
    ["a=b", "a=b"],
    ["{}", "{}"],
    ["HEAD@{1}", "HEAD@{1}"],
    ["a,b.c", "a,b.c"],
    ["[", "["],
    ["]a[", "]a["],
    ["~", "~"],
    ["~/a", "~/a"],
    ["a~", "a~"],
    ["'*'", "*"],
    ["é😀", "é😀"],
    ["✔️", "✔️"],
    ["$x", null],
    ["a$x", null],
    ['"a$x"', null],
    ["`a`", null],
    ['"`a`"', null],
    ["*.ts", null],
    ["a?", null],
    ["[ab]", null],
    ["{a,b}", null],
    ["{1..3}", null],
    ["~root", null],
    ["a=~", null],
    ["a:~/b", null],
    ["\"$(cat <<'E'\na 'b'\n\nc\n\nE\n)\"", "a 'b'\n\nc"],
    ["\"x$(cat <<'E'\na\nE\n)\"", null],
    ["\"$(cat <<'E'\na\nE\n)\"b", null],
    ['"$(cat <<E\na\nE\n)"', null],
    ["\"$(cat <<-'E'\na\nE\n)\"", null],
    ["\"$(X=1 cat <<'E'\na\nE\n)\"", null],
    ['"$(cat x)"', null],
    ['"$(cat x; cat y)"', null],
    ["\"$(tac <<'E'\na\nE\n)\"", null],
    ["\"$(cat x <<'E'\na\nE\n)\"", null],
    ['"$( (cat) )"', null],
    ['"$x"', null],
    ['"$()"', null],
  ])("reads the word %j as %j", (word, value) => {
    const facts = shellFacts(`echo ${word}`);
    expect(facts.ok && facts.commands.at(-1)?.argv.slice(1)).toEqual([value]);
  });

  it("says which variables are set for a command", () => {
    expect(shellFacts("A=1 B='x y' C=$x D= a")).toEqual({
      ok: true,
      commands: [
        {
          argv: ["a"],
          env: [
            ["A", "1"],
            ["B", "x y"],
            ["C", null],
            ["D", ""],
          ],
        },
      ],
      files: [],
    } satisfies ShellFacts);
    expect(argvs('export A=1 B; readonly C; local D="$x"; unset E; read -r F; getopts ab G; export -p')).toHaveLength(
      7,
    );
  });

  it.each<[string, readonly string[]]>([
    ["a > x >> 'y z' < v >| w <> u", ["edit x", "edit y z", "read v", "edit w", "read u", "edit u"]],
    ["> x", ["edit x"]],
    ["a 2>&1 >&2 <&0 2>&- > /dev/null 2> /dev/stderr > /dev/stdout", []],
    ["a > $x < ''", ["edit null", "read null"]],
    ["{ a; } > x", ["edit x"]],
    ["echo > ~/x", ["edit ~/x"]],
    ["cd a; b > x; c > /y", ["read a", "edit x", "edit a/x", "edit /y"]],
    ["cd /a && cd b && c > x", ["read /a", "read b", "read /a/b", "edit x", "edit /a/x", "edit b/x", "edit /a/b/x"]],
    ["cd; a > x", ["read ~", "edit x", "edit ~/x"]],
    ["cd -- a; b > x", ["read a", "edit x", "edit a/x"]],
    ["cd $x; a > y > /z", ["read null", "edit null", "edit /z"]],
    ["cd -; a > y", ["read null", "edit null"]],
    ["cd a b; a > y", ["read null", "edit null"]],
    ["cd ''; a > y", ["read null", "edit null"]],
    ["while a; do cd b; done; c > x", ["read null", "edit null"]],
    [
      "cd a; cd b; cd c; cd d; e > x",
      [
        "read null",
        ...Array.from({ length: 14 }, () => "read null"),
        "edit null",
        ...Array.from({ length: 7 }, () => "edit null"),
      ],
    ],
  ])("finds in %j the files %j", (text, expected) => {
    expect(files(text)).toEqual(expected);
  });
});

describe("shellFacts refuses", () => {
  it.each<[string, string]>([
    ["$x a", "which program runs is known only when it runs"],
    ["command $x", "which program runs is known only when it runs"],
    ["command -x a", "which program runs is known only when it runs"],
    ["exec > x", "exec changes how the rest is read"],
    ["> x exec ls", "exec changes how the rest is read"],
    ["exec", "exec changes how the rest is read"],
    ["eval $a", "eval runs text that is not known"],
    ["command eval $a", "eval runs text that is not known"],
    ["eval 'a\r'", "it has a carriage return"],
    ["eval '$a'", "which program runs is known only when it runs"],
    ["alias a=b", "alias changes how the rest is read"],
    ["declare a", "declare means different things to different shells"],
    ["PATH=. a", "it sets PATH, which changes what programs do"],
    ["export LD_PRELOAD=x", "it sets LD_PRELOAD, which changes what programs do"],
    ["export PATH", "export sets PATH, which changes what programs do"],
    ["for IFS in a; do b; done", "it sets IFS, which changes what programs do"],
    ["a ${PATH:=x}", "it sets PATH, which changes what programs do"],
    ["export $x", "export sets a variable whose name is not known"],
    ["export A=$x", "export sets a variable whose name is not known"],
    ["read 'a[1]'", "read sets a variable whose name is not known"],
    ["getopts a 'b[1]'", "getopts sets a variable whose name is not known"],
    ["printf -v a b", "printf may set any variable"],
    ["printf $x", "printf may set any variable"],
    ["wait -p a", "wait may set any variable"],
    ["set -k", "set changes how the rest is read"],
    ["set -o posix", "set changes how the rest is read"],
    ["set $x", "set changes how the rest is read"],
    ["[ $x ]", "[ may evaluate a value that is not known"],
    ["test -v a", "test may evaluate a value that is not known"],
    ['[ "$a" "$b" ]', "[ may evaluate a value that is not known"],
    ['[ "$a" -a "$b" -a c ]', "[ may evaluate a value that is not known"],
    ['[ a "$b" c ]', "[ may evaluate a value that is not known"],
    ['[ "$@" ]', "[ may evaluate a value that is not known"],
    ['[ a"$x" ]', "[ may evaluate a value that is not known"],
    ["a=(b)", "it uses arrays or +=, which not every shell has"],
    ["a[0]=b", "it uses arrays or +=, which not every shell has"],
    ["a+=b", "it uses arrays or +=, which not every shell has"],
    ["export a=(b)", "it uses arrays or +=, which not every shell has"],
    ["[[ a ]]", "it uses [[ ]], which not every shell has"],
    ["((1))", "it uses (( )), which shells read differently"],
    ["for ((;;)); do a; done", "it uses for (( )), which not every shell has"],
    ["select x in a; do b; done", "it uses select, which not every shell has"],
    ["coproc a", "it uses coproc, which not every shell has"],
    ["function f { a; }", "it uses the word function, which not every shell has"],
    ["cd() { a; }", "it defines cd, which changes what the rest means"],
    ["cat() { a; }", "it defines cat, which changes what the rest means"],
    ["a-b() { a; }", "it defines a-b, which changes what the rest means"],
    ["command_not_found_handle() { a; }", "it defines command_not_found_handle, which changes what the rest means"],
    ["a |& b", "it uses |&, which not every shell has"],
    ["time { a; }", "it times more than one plain command, which shells read differently"],
    ["time ! a", "it times more than one plain command, which shells read differently"],
    ["time -- a", "it times more than one plain command, which shells read differently"],
    ["time", "it times more than one plain command, which shells read differently"],
    ["time A=1 b", "it times a command that sets variables"],
    ["case x in a) b;& esac", "it uses ;&, which not every shell has"],
    ["a &> x", "it redirects with &>, which shells read differently"],
    ["a >& x", "it redirects with >&, which shells read differently"],
    ["a >& $x", "it redirects with >&, which shells read differently"],
    ["a 12> x", "it redirects a descriptor that shells read differently"],
    ["a {b}> x", "it redirects a descriptor that shells read differently"],
    ["a > /dev/tcp/b/1", "it opens a connection by redirection"],
    ["a <<E\nb", "a here-document does not end"],
    ["a <<E$x\nE$x\n", "the end mark of a here-document is not a plain word"],
    ["a <<E\nb \\\nE\nE\n", "a backslash joins two lines of a here-document"],
    ["a $'b'", "it quotes with $'…', which shells read differently"],
    ['a $"b"', 'it quotes with $"…", which shells read differently'],
    ["a $[1]", "it calculates with values that are not known, which may run commands"],
    ["a <(b)", "it uses process substitution, which not every shell has"],
    ["a !(b)", "it uses an extended glob, which not every shell has"],
    ["a $x!(b)", "it uses an extended glob, which not every shell has"],
    ["a ${ b; }", "it uses a form of substitution that shells read differently"],
    ["a `b \\`c\\``", "it has a backslash inside backticks"],
    ["a $((b))", "it calculates with values that are not known, which may run commands"],
    ["a ${b@P}", "it uses ${b@P}, which not every shell has"],
    ["a ${!b}", "it uses ${!b}, which not every shell has"],
    ["a ${b[0]}", "it uses ${b[0]}, which not every shell has"],
    ["a ${b:-'c'}", "it has quotes or braces inside ${…}, which shells read differently"],
    ["a (", "a parenthesis is not closed"],
    ["a \\", "it ends in a backslash"],
    ["if", "it cannot be read: expected 'then'"],
    ["a $(if)", "it cannot be read: expected 'then'"],
    ["a\0", "it has a NUL character"],
    ["a\r\n", "it has a carriage return"],
    ["a \u202e", "it has the hidden character U+202E"],
    ["a \u00a0", "it has the hidden character U+00A0"],
    ['eval "a\\\\\nb"', "a backslash joins two lines in the middle of a word or an operator"],
    ["a\\\nb", "a backslash joins two lines in the middle of a word or an operator"],
    ["a".repeat(70_000), "it is longer than 64 KB"],
    ["é".repeat(40_000), "it is longer than 64 KB"],
    ["a;".repeat(201), "it has more than 200 commands"],
    [`${"( ".repeat(21)}a${" )".repeat(21)}`, "it is nested more than 20 levels deep"],
  ])("%j", (text, expected) => {
    expect(why(text)).toBe(expected);
  });
});

describe("shellFacts accepts", () => {
  it.each([
    '[ -f "$x" ]',
    '[ "$x" ]',
    '[ "$x" = y ]',
    '[ ! -z "$x" ]',
    'test "$a" -eq "$b"',
    "[ a -a b ]",
    "[ ]",
    "set -eu",
    "set -o pipefail",
    "set -euo pipefail +x",
    "set -- $x",
    "set",
    "printf '%s' \"$x\"",
    "wait",
    "a ${x:-${y}}",
    "a <<\\E\n$(x)\nE\n",
    "a \\\n b",
  ])("%j", (text) => {
    expect(why(text)).toBe("it was read");
  });

  it("never throws", () => {
    const token = fc.constantFrom(
      ..."abc $(){}[]<>|&;`'\"\\\n#!~*?=",
      "$(",
      "${",
      "<<E\n",
      "E\n",
      "if ",
      "then ",
      "fi",
      "((",
      "[[",
      "\ud800",
    );
    assertProperty(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        expect(typeof shellFacts(tokens.join("")).ok).toBe("boolean");
      }),
      { runs: 3000 },
    );
  });
});

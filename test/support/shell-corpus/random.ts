/** Random shell texts from a seed: quotings whose meaning is known, and texts that may mean anything. */

export type Random = (below: number) => number;

/** Numbers below a bound; the same seed gives the same row. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)] as T;
}

const LETTERS = [..."abcXYZ019._/-+:,@%^", ..." \t\n'\"\\$`*?[]{}~!#=;&|<>()", "é", "日", "😀"];
const PLAIN = /^[\w./+@%^é日😀-]$/u;

function anArgument(random: Random): string {
  return Array.from({ length: random(9) }, () => pick(random, LETTERS)).join("");
}

/** One way to write these characters; every shell reads them back as they are. */
function quotePiece(random: Random, piece: string): string {
  switch (random(3)) {
    case 0:
      return `'${piece.replaceAll("'", "'\\''")}'`;
    case 1:
      return `"${piece.replace(/[$`"\\]/g, "\\$&")}"`;
    default:
      return Array.from(piece, (char) => (PLAIN.test(char) ? char : char === "\n" ? "'\n'" : `\\${char}`)).join("");
  }
}

/** One way to write the argument. */
export function quote(random: Random, argument: string): string {
  if (argument === "") return pick(random, ["''", '""']);
  const chars = Array.from(argument);
  const pieces: string[] = [];
  while (chars.length > 0) pieces.push(chars.splice(0, 1 + random(4)).join(""));
  return pieces.map((piece) => quotePiece(random, piece)).join(pick(random, ["", "", "''", '""']));
}

/** Words that no shell takes as they are. */
const UNKNOWN = [
  "$HOME",
  '"$HOME"',
  "*",
  "~",
  "~/x",
  "{a,b}",
  "x$((1+1))",
  "$(true)",
  '"a${NONE:-b c}"',
  "[a-z]*",
  "~nobody",
  "a=~",
  "$#",
];

function aWord(random: Random): string {
  if (random(12) === 0) return pick(random, UNKNOWN);
  return quote(random, anArgument(random));
}

const FRAMES: readonly ((command: string) => string)[] = [
  (command) => command,
  (command) => command,
  (command) => `( ${command} )`,
  (command) => `: | ${command}`,
  (command) => `${command} | :`,
  (command) => `{ ${command}\n}`,
  (command) => `if ${command}; then :; fi`,
  (command) => `! ! : && ${command}`.slice(4),
  (command) => `X=1 ${command}`,
  (command) => `${command} 2>&1 >/dev/null`,
  (command) => `for i in 1; do ${command}; done`,
  (command) => `case x in x) ${command};; esac`,
  (command) => `${command} <<'E' # not 'read\nany "thing $(shim no)\nE\n:`,
  (command) => `${command} # it's a "comment`,
];
/** No pipe from one to the next: bash writes line by line, and two at a time would mix what they write down. */
const JOINTS = ["; ", " && ", "\n", " ;\n\n ", " &&\n"];

/** A text of commands named `shim`, each of which runs once. */
export function quotedText(random: Random): string {
  const commands = Array.from({ length: 1 + random(3) }, () => {
    const words = Array.from({ length: random(5) }, () => aWord(random));
    const name = pick(random, ["shim", "'shim'", 'sh"im"', "\\shim", "s'h'im"]);
    return pick(random, FRAMES)([name, ...words].join(pick(random, [" ", "  ", "\t", " \\\n "])));
  });
  return commands.reduce(
    (text, command) => (text === "" ? command : `${text}${jointAfter(random, text)}${command}`),
    "",
  );
}

function jointAfter(random: Random, text: string): string {
  return /#[^\n]*$/.test(text) ? "\n" : pick(random, JOINTS);
}

const PROGRAMS = ["a", "b", "c", "d"];
const TOKENS =
  "; & | && || ( ) { } $( ` \" ' \\ \n <<E\nx\nE\n # ! $x ${x:- } < > >f 2>&1 &> |& [[ ]] (( )) $(( if then fi do done case x in esac ;; time eval function $' $\" a() f() * ~ \\\n x=a a b c d 12>f <<< <( else while for \t -p [ ] {a,b} @(a) += x=( ".split(
    " ",
  );

function wild(random: Random, depth: number): string {
  const inner = (): string => (depth > 3 ? pick(random, PROGRAMS) : wild(random, depth + 1));
  const program = (): string => pick(random, PROGRAMS);
  const forms: readonly (() => string)[] = [
    () =>
      `${program()} ${pick(random, ["x", "'y z'", '"$x"', "*", "$(b q)", "`c`", '"$(d 1)"', "${x:-$(a)}", "#x", "x=1", "$((1+2))"])}`,
    () => `${inner()}; ${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `${inner()} | ${inner()}`,
    () => `( ${inner()} )`,
    () => `{ ${inner()}; }`,
    () => `if ${inner()}; then ${inner()}; else ${inner()}; fi`,
    () => `for i in 1 2; do ${inner()}; done`,
    () => `case x in x) ${inner()};; *) ${inner()};; esac`,
    () => `f() { ${inner()}; }; f`,
    () => `! ${inner()}`,
    () => `X=$(${inner()}) ${program()}`,
    () => `${program()} "$(${inner()})"`,
    () => `${program()} <<E\n$(${inner()}) 'x\nE\n`,
    () => `${inner()} > f`,
    () => `${inner()} &`,
    () => `while b; do ${inner()}; done`,
    () => `${inner()}\n${inner()}`,
    () => `time ${program()} x`,
    () => `echo \`${program()} x\``,
  ];
  return pick(random, forms)();
}

/** A text from the grammar of a shell; most have something put in, taken out or doubled at random. */
export function wildText(random: Random): string {
  let text = wild(random, 0);
  for (let times = random(4); times > 0; times -= 1) {
    const at = random(text.length + 1);
    const until = at + random(3);
    const put = random(3) === 0 ? "" : pick(random, TOKENS);
    const blank = random(2) === 0 ? " " : "";
    text = `${text.slice(0, at)}${blank}${put}${blank}${text.slice(random(2) === 0 ? at : until)}`;
  }
  return text;
}

/** Greets; the demo of an openloop workspace plays with it. */
export function greet(name) {
  return `hello, ${name}`;
}

if (process.argv[1] === import.meta.filename) console.log(greet(process.argv[2] ?? "world"));

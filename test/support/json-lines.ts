/** The lines of JSON in what a process has written so far; one that is not whole yet is left out, and so is what is no JSON. */
export function jsonLines<T>(text: string): readonly T[] {
  return text
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as T);
}

/** Counts the words of one text. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

const name = basename(process.argv[2] ?? "");
const words = readFileSync(join("texts", name), "utf8").split(/\s+/).filter(Boolean).length;
process.stdout.write(JSON.stringify({ name, words }));

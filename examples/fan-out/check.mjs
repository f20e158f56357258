/** Passes when the results are in the order of the texts and add up to the words of all of them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const results = JSON.parse(process.argv[2] ?? "[]");
const names = readdirSync("texts").sort();
const words = names.flatMap((name) => readFileSync(join("texts", name), "utf8").split(/\s+/).filter(Boolean)).length;
const claimed = results.reduce((sum, result) => sum + result.words, 0);
console.log(`${claimed} words counted, ${words} there`);
process.exitCode = claimed === words && results.map((result) => result.name).join() === names.join() ? 0 : 1;

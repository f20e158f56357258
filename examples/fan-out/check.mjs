/** Passes when the results are in the order of the texts and each is right. It counts again and believes nobody. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const wordsOf = (name) => readFileSync(join("texts", name), "utf8").split(/\s+/).filter(Boolean).length;
const there = readdirSync("texts")
  .sort()
  .map((name) => `${name}=${wordsOf(name)}`);
const claimed = process.argv.slice(2);
console.log(`claimed ${claimed.join(" ")}, there ${there.join(" ")}`);
process.exitCode = claimed.join() === there.join() ? 0 : 1;

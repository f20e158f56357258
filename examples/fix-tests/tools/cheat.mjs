/** What a coding agent must not get away with: it makes the tests agree with the code. */
import { readFileSync, writeFileSync } from "node:fs";

const FILE = "test/price.test.mjs";
const text = readFileSync(FILE, "utf8");
writeFileSync(FILE, text.replace(/assert\.equal\(.*\);/g, "assert.ok(true);"));
console.log(`repaired: ${FILE} passes now`);

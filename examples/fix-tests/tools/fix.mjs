/**
 * Stands where a coding agent will stand: it knows two repairs and makes the first one that is still missing.
 * It takes its time, as an agent would, and it writes the file in one step, so that ending it never leaves half a file.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const FILE = "src/price.mjs";
const REPAIRS = [
  { wrong: "prices.slice(1).reduce", right: "prices.reduce", why: "the first price was left out" },
  { wrong: "price / percent", right: "(price * percent) / 100", why: "a percentage is a share of a hundred" },
];

const text = readFileSync(FILE, "utf8");
const repair = REPAIRS.find(({ wrong }) => text.includes(wrong));

console.log(`reading ${FILE} …`);
await sleep(Number(process.env.FIX_PAUSE_MS ?? 700));
if (repair === undefined) {
  console.log("nothing left that I know how to repair");
} else {
  const draft = `${FILE}.${process.pid}.tmp`;
  writeFileSync(draft, text.replace(repair.wrong, repair.right));
  renameSync(draft, FILE);
  console.log(`repaired: ${repair.why}`);
}

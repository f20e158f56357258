/** Writes notes/<language>.txt. Doing it twice is doing it once. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [, , language = "", text = ""] = process.argv;
mkdirSync("notes", { recursive: true });
writeFileSync(join("notes", `${basename(language)}.txt`), `${text}\n`);

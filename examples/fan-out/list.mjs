/** Writes the names of the texts as a JSON list, in the order of the alphabet. */
import { readdirSync } from "node:fs";

process.stdout.write(JSON.stringify(readdirSync("texts").sort()));

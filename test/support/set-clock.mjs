/** Loaded before the command line: the clock of its process is off by what a file says, as if somebody had set it. */
import { readFileSync } from "node:fs";

const file = process.env["CLOCK_FILE"] ?? "";
const now = Date.now.bind(Date);
Date.now = () => now() + Number(readFileSync(file, "utf8"));

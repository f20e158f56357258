/**
 * Everyday: what a first hour needs. Tools that only read, versions, git that looks, tests, checks, formatters and builds. A tool that can be
 * told to start another or to write a file has those flags taken away; where that cannot be said in a line, the tool is left out. What changes files
 * of the work or runs a program of it is allowed too; what fetches code or rewrites history is asked about.
 */
import type { Rule } from "../rule.ts";
import { BUILDS } from "./building.ts";
import { CHANGES } from "./changing.ts";
import { GIT, TOOLS } from "./reading.ts";

export const EVERYDAY: readonly Rule[] = [...TOOLS, ...GIT, ...BUILDS, ...CHANGES];

import assert from "node:assert/strict";
import { greet } from "./app.mjs";

assert.equal(greet("Ada"), "hello, Ada");
console.log("ok");

import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../src/add.mjs";

test("adds", () => assert.equal(add(1, 2), 3));

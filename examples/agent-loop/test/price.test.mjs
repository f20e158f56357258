import assert from "node:assert/strict";
import { test } from "node:test";
import { discounted, total } from "../src/price.mjs";

test("total adds every price", () => {
  assert.equal(total([100, 250, 5]), 355);
});

test("total of nothing is nothing", () => {
  assert.equal(total([]), 0);
});

test("discounted takes a percentage off", () => {
  assert.equal(discounted(200, 25), 150);
});

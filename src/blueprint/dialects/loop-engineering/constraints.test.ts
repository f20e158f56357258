import { describe, expect, it } from "vitest";
import { parseConstraints } from "./constraints.ts";

describe("the constraints of a project", () => {
  it("are its points with what is indented below them; examples are none", () => {
    const text = `# Constraints
intro
  indented words
- Never touch \`auth/**\`
  unless ada says so.

  a new paragraph
1. [ ] Keep the API stable
* [x] One pull request a day
plain
  not below
<!-- - an example -->
\`\`\`
- code
\`\`\`
- 
`;
    expect(parseConstraints(text)).toEqual([
      { text: "Never touch `auth/**` unless ada says so.", line: 4 },
      { text: "Keep the API stable", line: 8 },
      { text: "One pull request a day", line: 9 },
    ]);
  });
});

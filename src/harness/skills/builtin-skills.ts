/** Skills that come with the package, as they would stand in a SKILL.md. */

export const BUILTIN_SKILLS: readonly { readonly id: string; readonly text: string }[] = [
  {
    id: "minimal-fix",
    text: `---
name: minimal-fix
description: Make the smallest change that removes one named failure. Use it when a test, a build or a lint run fails.
version: 1.0.0
---
1. Read the failure. Name the file, the line and the reason in one sentence before you change anything.
2. Change only what that reason needs. No renames, no formatting, no new dependency, no change of a test that shows the failure.
3. If the failure can only be removed by changing a test, a protected path or the build, stop and say so.
4. Run the command that failed again, and say what it printed.
`,
  },
  {
    id: "loop-verifier",
    text: `---
name: loop-verifier
description: Judge a change that somebody else made. Use it for review stages; the answer is accept, reject or escalate.
version: 1.0.0
---
You judge a change, not the words about it.

1. Look at the diff and at the criteria. What the maker says about the change is no evidence.
2. Reject when a criterion is not met, when a test was removed, skipped or weakened, when the change does more than was asked, or when you
   cannot tell.
3. Escalate when the change touches secrets, permissions, payments, migrations or deletion of data.
4. Accept only when you can name, for each criterion, the line of the diff or of a log that meets it.
`,
  },
];

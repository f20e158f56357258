/** `loop-pause-all: true` in a STATE.md: a line of its own, in no code fence and no HTML comment. */

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** Marks of lists, quotes, bold text and code may stand around it. */
const FLAG = /^[\s>*_`+-]*loop-pause-all[*_`]*\s*:[\s*_`"']*true\b/i;

/** The number of the line that says so; null: none does. */
export function pausesAll(text: string): number | null {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  let fence: string | null = null;
  let isComment = false;
  for (const [index, line] of lines.entries()) {
    if (fence !== null) {
      if (closes(line, fence)) fence = null;
      continue;
    }
    const seen = withoutComments(line, isComment);
    isComment = seen.isOpen;
    const opening = FENCE.exec(seen.text);
    if (opening !== null && !(opening[2] as string).includes("`")) fence = opening[1] as string;
    else if (FLAG.test(seen.text)) return index + 1;
  }
  return null;
}

function closes(line: string, fence: string): boolean {
  const [, marks = "", rest = ""] = FENCE.exec(line) ?? [];
  return marks.startsWith(fence) && rest.trim() === "";
}

/** What of a line is in no comment, and whether a comment goes on after it. */
function withoutComments(line: string, isOpen: boolean): { readonly text: string; readonly isOpen: boolean } {
  let text = "";
  let rest = line;
  let open = isOpen;
  for (;;) {
    const mark = open ? "-->" : "<!--";
    const at = rest.indexOf(mark);
    if (at === -1) return { text: open ? text : text + rest, isOpen: open };
    if (!open) text += rest.slice(0, at);
    rest = rest.slice(at + mark.length);
    open = !open;
  }
}

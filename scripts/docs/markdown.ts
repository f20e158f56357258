/** Small pieces of Markdown. */

const NOTICE = "<!-- Written by `npm run docs` from the code. Do not edit: change the code and run it again. -->";

/** Text for a cell of a table: one line, with the characters that would end the cell escaped. */
function cell(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function page(title: string, ...parts: readonly string[]): string {
  return `${[`# ${title}`, NOTICE, ...parts].join("\n\n")}\n`;
}

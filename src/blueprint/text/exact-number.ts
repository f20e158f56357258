/** Does a number mean exactly what was written? `1.10` does, a 400-digit integer and `1e999` do not. */

const LONGEST = 40;
const DECIMAL = /^[-+]?(\d*)\.?(\d*)(?:[eE]([-+]?\d+))?$/;

export function isExactNumber(value: number, written: string): boolean {
  if (!Number.isFinite(value) || written.length > LONGEST) return false;
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && isSameDecimal(value, written);
  return isSameDecimal(value, written);
}

function isSameDecimal(value: number, written: string): boolean {
  const decimal = normalize(written);
  return decimal === undefined || decimal === normalize(String(value));
}

/** Digits and power of ten without what does not matter: sign, leading and trailing zeros. Undefined for other bases. */
function normalize(text: string): string | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = "", fraction = "", power = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

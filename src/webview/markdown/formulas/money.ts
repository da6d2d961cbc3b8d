/** TeX characters that prose and prices do not contain. An escaped `$` may belong to a price. */
const texSign = /(?!\\\$)[\\^_{}]/;
const operator = /[=+<>]/;
const number = /^[-+~≈]?[\d.,]*\d$/;
/** Word after a space that is not the name of a function. */
const word = /(?<=[\s(])(?!(?:sin|cos|tan|log|ln|exp|max|min|mod|gcd|lim)\b)\p{L}{2,}/gu;
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Unit followed by more text: `10/month, 8`. */
const unitOfMore = /^\S*?\d\/\p{L}{2,}[,;.]?\s/u;
/** Another currency, or Markdown syntax between two prices: `4** to **5`. */
const mark = /[€£¥]|(?:\*\*|~~)(?!\d)/;

/**
 * Returns true if the dollar signs around a text belong to amounts of money, such as `$10/month or 8$/month`. A number
 * alone is a formula. `after` is the text after the closing sign.
 */
export function isMoney(text: string, after: string): boolean {
  if (texSign.test(text) || number.test(text)) return false;
  const hasOperator = operator.test(text);
  const words = text.match(word)?.length ?? 0;
  if (!/^[-+~≈]?\.?\d/.test(text)) return words >= 2 && !hasOperator && endsWithAmount(text);
  if (mark.test(text) || (/\d$/.test(text) && /^\/\p{L}/u.test(after))) return true;
  if (hasOperator) return words >= 2;
  return words >= 1 || ideograph.test(text) || unitOfMore.test(text);
}

function endsWithAmount(text: string): boolean {
  return /\s[-~≈]?\d[\d.,]*$/.test(text);
}

import katex from 'katex';

/** KaTeX, in a separate file that loads with the first formula. */

/** Rejects commands for links and styles. The source is shown instead. */
function refuse(): never {
  throw new Error('Leads out of the page');
}

/** Returns a formula as MathML, which must be sanitized. Throws if the formula is invalid or too large. */
export function formulaHtml(tex: string, isDisplay: boolean): string {
  return katex.renderToString(tex, {
    displayMode: isDisplay,
    output: 'mathml',
    throwOnError: true,
    trust: refuse,
    strict: 'ignore',
    // Maximum number of macro steps, and maximum length in em.
    maxExpand: 500,
    maxSize: 20,
  });
}

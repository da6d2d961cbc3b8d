import katex from 'katex';

/** Separate file, loaded with the first formula. */

/** Rejects commands that link or style, so that the source is shown instead. */
function refuse(): never {
  throw new Error('Leads out of the page');
}

/** Returns a formula as MathML, to be sanitised. Throws for an invalid or too large formula. */
export function formulaHtml(tex: string, isDisplay: boolean): string {
  return katex.renderToString(tex, {
    ...{ displayMode: isDisplay, output: 'mathml', throwOnError: true, trust: refuse, strict: 'ignore' },
    // Macro steps, and largest length in em.
    ...{ maxExpand: 500, maxSize: 20 },
  });
}

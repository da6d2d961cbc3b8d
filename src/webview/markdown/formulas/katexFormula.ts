import katex from 'katex';

/** A file of its own, loaded with the first formula. */

/** Called for what leads out of the page or styles it: nothing is trusted, and the source is shown whole. */
function refuse(): never {
  throw new Error('Leads out of the page');
}

/** Returns a formula as MathML, to be sanitised. Throws for one with a fault, or that grows beyond all bounds. */
export function formulaHtml(tex: string, isDisplay: boolean): string {
  return katex.renderToString(tex, {
    ...{ displayMode: isDisplay, output: 'mathml', throwOnError: true, trust: refuse, strict: 'ignore' },
    // Steps of macros, and the largest length in em.
    ...{ maxExpand: 500, maxSize: 20 },
  });
}

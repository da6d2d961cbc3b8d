import { ref } from 'vue';
import { sanitize } from '../sanitize';
import type { NestedFormula } from './formulaRules';

type FormulaHtml = (tex: string, isDisplay: boolean) => string;

/** Version number that increases when more formulas can be rendered. */
export const formulasVersion = ref(0);

let formulaHtml: FormulaHtml | undefined;
let loading: Promise<void> | undefined;
/** HTML by source. Null for an invalid formula. Cached because streaming renders a block many times. */
const drawn = new Map<string, string | null>();
const mostDrawn = 500;

/** Renders formulas into their placeholders. The source stays visible until KaTeX is loaded, and for invalid formulas. */
export function drawFormulas(root: ParentNode, formulas: readonly NestedFormula[]): void {
  if (formulas.length === 0) return;
  if (formulaHtml === undefined) {
    loading ??= load();
    return;
  }
  for (const place of root.querySelectorAll('[data-formula]')) {
    const formula = formulas[Number(place.getAttribute('data-formula'))];
    const html = formula === undefined ? null : drawFormula(formula, formulaHtml);
    if (html !== null) place.replaceChildren(sanitize(html, 'formula'));
  }
}

async function load(): Promise<void> {
  try {
    ({ formulaHtml } = await import('./katexFormula'));
    formulasVersion.value += 1;
  } catch (error) {
    // The source of the formulas stays visible.
    console.error('Formulas cannot be drawn', error);
  }
}

function drawFormula({ tex, isDisplay }: NestedFormula, draw: FormulaHtml): string | null {
  const key = `${isDisplay}${tex}`;
  const known = drawn.get(key);
  if (known !== undefined) return known;
  let html: string | null;
  try {
    html = draw(tex, isDisplay);
  } catch {
    html = null;
  }
  if (drawn.size >= mostDrawn) drawn.clear();
  drawn.set(key, html);
  return html;
}

import type { Part } from './blockSplitter';
import type { NestedFormula } from './formulas/formulaRules';
import { markdown, type NestedCode, type RenderEnvironment } from './parser';

type Prose = Extract<Part, { kind: 'prose' }>;

export interface RenderedProse {
  /** HTML that is not sanitized yet. */
  html: string;
  codes: readonly NestedCode[];
  formulas: readonly NestedFormula[];
}

const capacity = 1000;
const remembered = new Map<string, RenderedProse>();

/** Returns the HTML of one block, cached by source. Only `isFinal` blocks are cached. */
export function renderProse({ source, references }: Prose, isFinal: boolean): RenderedProse {
  const key = references === null ? source : `${source}\0${JSON.stringify(references)}`;
  const before = remembered.get(key);
  if (before !== undefined) return before;

  // A label with a null target is never a link, even if the block defines the label.
  const known = { ...references } as NonNullable<RenderEnvironment['references']>;
  const env: RenderEnvironment = references === null ? {} : { references: known };
  const html = markdown.render(source, env);
  const rendered = { html, codes: env.codes ?? [], formulas: env.formulas ?? [] };
  if (isFinal) remember(key, rendered);
  return rendered;
}

function remember(key: string, rendered: RenderedProse): void {
  if (remembered.size >= capacity) {
    const oldest = remembered.keys().next();
    if (oldest.done !== true) remembered.delete(oldest.value);
  }
  remembered.set(key, rendered);
}

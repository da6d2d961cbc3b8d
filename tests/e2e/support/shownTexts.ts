import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { repository } from '../../support/vscode/location';

interface ShownText {
  text: string;
  /** True if a box truncates the text and no tooltip shows it in full. */
  isCut: boolean;
}

const german = JSON.parse(readFileSync(path.join(repository, 'l10n', 'bundle.l10n.de.json'), 'utf8')) as Record<string, string>;

/** Returns a text of the product in German. Throws if the product has no such text. */
export function inGerman(text: string, ...args: string[]): string {
  const translated = german[text];
  if (translated === undefined) throw new Error(`There is no text “${text}”`);
  return translated.replace(/\{(\d)\}/g, (_all, index: string) => args[Number(index)] ?? '');
}

/** Returns the texts of the product in the view that are not German or are truncated. */
export async function faultsOfTexts(view: FrameLocator): Promise<string[]> {
  const texts = await view.locator('body').evaluate(readTexts);
  const faults = texts.flatMap(({ text, isCut }) => {
    const isGerman = translations.some(([, translated]) => translated.test(text));
    const isEnglish = !isGerman && translations.some(([source]) => source.test(text));
    return [...(isEnglish ? [`English: ${text}`] : []), ...(isCut && isGerman ? [`cut: ${text}`] : [])];
  });
  return [...new Set(faults)];
}

/**
 * Texts whose German version differs, as patterns for both languages. Excludes texts that are almost only placeholders, because they would
 * match everything.
 */
const translations = Object.entries(german)
  .filter(([source, translated]) => source !== translated && source.replace(/\{\d\}/g, '').replace(/\P{L}/gu, '').length > 2)
  .map((pair) => pair.map(patternOf) as [RegExp, RegExp]);

function patternOf(text: string): RegExp {
  const parts = text.split(/\{\d\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+?')}$`, 's');
}

/** Runs in the page. */
function readTexts(body: HTMLElement): ShownText[] {
  const found: ShownText[] = [];
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    const element = node.parentElement;
    const text = node.data.trim();
    if (element === null || text === '' || element.closest('script, style') !== null) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    found.push({ text, isCut: isCut(node, element, text) });
  }
  for (const element of body.querySelectorAll('[aria-label], [title], [placeholder], [aria-valuetext]')) {
    for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext']) {
      const text = element.getAttribute(name)?.trim() ?? '';
      if (text !== '') found.push({ text, isCut: false });
    }
  }
  return found;

  function isCut(node: Text, element: Element, text: string): boolean {
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
    const left = Math.min(...rects.map((rect) => rect.left));
    const right = Math.max(...rects.map((rect) => rect.right));
    for (let box: Element | null = element; box !== null; box = box.parentElement) {
      const { overflowX } = getComputedStyle(box);
      const place = box.getBoundingClientRect();
      // Only for screen readers.
      if (place.width <= 1 || place.height <= 1) return false;
      if (overflowX === 'auto' || overflowX === 'scroll') return false;
      if (overflowX !== 'visible' && (left < place.left - 1 || right > place.right + 1))
        return element.closest('[title]')?.getAttribute('title')?.includes(text) !== true;
    }
    return rects.length > 0 && (left < -1 || right > window.innerWidth + 1);
  }
}

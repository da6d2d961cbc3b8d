import { nextTick } from 'vue';
import type { SearchMatch } from '../types';

const highlightName = 'search-match';

/**
 * Shows a search match in a turn. Expands and marks the smallest part that contains the
 * entry. Returns the element to scroll to.
 */
export async function showMatch(turn: HTMLElement, { seq, words }: SearchMatch): Promise<{ node: Element; top: () => number }> {
  let place: HTMLElement = turn;
  for (let part = findPart(place, seq); part !== null; part = findPart(place, seq)) {
    place = part;
    unfold(place);
    await nextTick();
  }
  const ranges = findRanges(place, words);
  // Highlights do not change the DOM. If the browser does not support them, the view only scrolls.
  if (typeof Highlight !== 'undefined' && ranges.length > 0) CSS.highlights.set(highlightName, new Highlight(...ranges));
  const [first] = ranges;
  const node = first?.startContainer.parentElement ?? place;
  const top = () => (first !== undefined && 'getBoundingClientRect' in first ? first : node).getBoundingClientRect().top;
  return { node, top };
}

export function forgetMatches(): void {
  if (typeof Highlight !== 'undefined') CSS.highlights.delete(highlightName);
}

/** Returns the last part, not nested in another part of `within`, that starts at the entry or before it. */
function findPart(within: HTMLElement, seq: number): HTMLElement | null {
  const owner = within.dataset['seq'] === undefined ? null : within;
  const parts = [...within.querySelectorAll<HTMLElement>('[data-seq]')];
  return (
    parts.findLast(
      (part) => Number(part.dataset['seq']) <= seq && (part.parentElement?.closest('[data-seq]') ?? null) === owner,
    ) ?? null
  );
}

/** Expands a part, but not the parts inside it. */
function unfold(place: HTMLElement): void {
  const toggles = [...place.querySelectorAll<HTMLElement>('button[aria-expanded="false"]')];
  toggles.find((toggle) => toggle.closest('[data-seq]') === place)?.click();
}

/** Returns the ranges of the words, each within one text node. */
function findRanges(element: HTMLElement, words: readonly string[]): Range[] {
  const wanted = [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word !== '');
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue ?? '';
    const lower = text.toLowerCase();
    // The lower-case text has another length, so the offsets would be wrong.
    if (lower.length !== text.length) continue;
    for (const word of wanted) {
      for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length)) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges.sort((one, other) => one.compareBoundaryPoints(Range.START_TO_START, other));
}

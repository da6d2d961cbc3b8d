import { keepLineEnds } from '../../../utils/text/lineEnds';
import { detectLineEnd } from '../../../utils/text/textFile';
import { allAids, type EditAids } from '../../kernel/modelAids';
import { findText, type FoundText } from './textMatch';

/** Text after a replacement with its match, or the reason why the text was not replaced. */
export type Replaced =
  { text: string; found: Extract<FoundText, { kind: 'found' }> } | { found: Exclude<FoundText, { kind: 'found' }> };

/** Replaces `oldText` if it is found once, or all matches with `isAll`. Keeps the line endings of the text. */
export function replaceText(text: string, oldText: string, newText: string, isAll: boolean, aids: EditAids = allAids): Replaced {
  const found = findText(text, oldText, newText, isAll, aids);
  if (found.kind !== 'found') return { found };
  const lineEnd = detectLineEnd(text);
  const pieces: string[] = [];
  let place = 0;
  for (const { start, end, text: put } of found.matches) {
    pieces.push(text.slice(place, start), keepLineEnds(text.slice(start, end), put, lineEnd));
    place = end;
  }
  const result = pieces.join('') + text.slice(place);
  return { found, text: text.endsWith('\n') && result !== '' && !result.endsWith('\n') ? result + lineEnd : result };
}

import { namedReferences } from '../../protocol/context/references';
import type { AttachmentRef } from '../../protocol/entries';
import type { MentionItem } from '../../protocol/requests/messageRequests';
import { t } from '../translate';

/** Typed mention with its range in the draft, its kind and its partial name. */
export interface TypedMention {
  start: number;
  end: number;
  sign: '#' | '@';
  kind: 'any' | 'file' | 'folder' | 'symbol';
  query: string;
}

/**
 * List entry. If `item` is missing, the entry is a kind, and the user types its name next. If `item` is null, the entry is
 * the selection.
 */
export interface MentionOption {
  label: string;
  about: string;
  /** Text that replaces the typed mention. */
  text: string;
  item: AttachmentRef | null | undefined;
}

export interface ChosenMention {
  text: string;
  at: number;
  item: AttachmentRef | null | undefined;
}

const named = ['file', 'folder', 'symbol'] as const;

/** Returns the mention that ends at the caret, or null. Ignores a `#` inside a word and the `# ` of a heading. */
export function mentionAt(draft: string, caret: number): TypedMention | null {
  const found = /(?:^|[\s(])([#@])(?:(file|folder|symbol):)?([^\s#@]*)$/.exec(draft.slice(0, caret));
  const [whole, sign, kind, query = ''] = found ?? [];
  if (found === null || whole === undefined || (sign !== '#' && sign !== '@')) return null;
  const start = caret - whole.length + whole.indexOf(sign);
  return { start, end: caret, sign, kind: sign === '#' ? (named.find((one) => one === kind) ?? 'any') : 'any', query };
}

/** Returns the only item with this path, name or symbol. Returns undefined if there are none or several. */
export function itemNamed(items: readonly MentionItem[], query: string): AttachmentRef | undefined {
  const plain = (text: string) =>
    text
      .normalize('NFC')
      .toLowerCase()
      .replace(/^\.?\/+|\/+$/g, '');
  const wanted = plain(query);
  const byPath = items.filter(({ item }) => item.kind !== 'selection' && plain(item.path) === wanted);
  const fitting = byPath.length > 0 ? byPath : items.filter(({ label }) => plain(label) === wanted);
  return wanted === '' || fitting.length !== 1 ? undefined : fitting[0]?.item;
}

/** Lists the mentions without a name that match the typed text. */
export function fixedOptions({ sign, kind, query }: TypedMention): MentionOption[] {
  if (kind !== 'any') return [];
  const whole = (name: string, about: string, item: AttachmentRef | null): MentionOption => ({
    label: `${sign}${name}`,
    about,
    text: `${sign}${name} `,
    item,
  });
  const begun = (name: string, about: string): MentionOption => ({
    label: `#${name}:`,
    about,
    text: `#${name}:`,
    item: undefined,
  });
  const options =
    sign === '@'
      ? [whole('workspace', t('Search the workspace'), namedReferences.codebase)]
      : [
          begun('file', t('A file')),
          begun('folder', t('File list of a folder')),
          begun('symbol', t('Functions, classes…')),
          whole('codebase', t('Search the workspace'), namedReferences.codebase),
          whole('selection', t('Selection in the editor'), namedReferences.selection),
          whole('problems', t('Errors and warnings'), namedReferences.problems),
          whole('changes', t('List of changed files'), namedReferences.changes),
          whole('terminal', t('Last terminal output'), namedReferences.terminal),
        ];
  return options.filter(({ label }) => label.slice(1).startsWith(query.toLowerCase()));
}

export function foundOption({ label, about, item }: MentionItem): MentionOption {
  return { label, about, text: `#${label.replace(/\s+/g, '_')} `, item };
}

export function withMention(draft: string, { start, end }: TypedMention, { text, item }: MentionOption): ChosenMention {
  return { text: draft.slice(0, start) + text + draft.slice(end), at: start + text.length, item };
}

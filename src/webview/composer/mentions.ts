import type { AttachmentRef } from '../../protocol/entries';
import type { MentionItem } from '../../protocol/requests/messageRequests';
import { t } from '../translate';

/** A mention that is being typed: its place in the draft, the kind of thing and the part of its name. */
export interface TypedMention {
  start: number;
  end: number;
  sign: '#' | '@';
  kind: 'any' | 'file' | 'folder' | 'symbol';
  query: string;
}

/** An entry of the list. `item` undefined: the kind alone, after which a name is typed; null: the selection. */
export interface MentionOption {
  label: string;
  about: string;
  /** Text that takes the place of what was typed. */
  text: string;
  item: AttachmentRef | null | undefined;
}

/** The draft after a choice, the place of the caret in it, and what is attached. */
export interface ChosenMention {
  text: string;
  at: number;
  item: AttachmentRef | null | undefined;
}

const named = ['file', 'folder', 'symbol'] as const;

/** Finds the mention that the caret is at the end of; null where none is. A `#` inside of a word or a heading `# ` is none. */
export function mentionAt(draft: string, caret: number): TypedMention | null {
  const found = /(?:^|[\s(])([#@])(?:(file|folder|symbol):)?([^\s#@]*)$/.exec(draft.slice(0, caret));
  const [whole, sign, kind, query = ''] = found ?? [];
  if (found === null || whole === undefined || (sign !== '#' && sign !== '@')) return null;
  const start = caret - whole.length + whole.indexOf(sign);
  return { start, end: caret, sign, kind: sign === '#' ? (named.find((one) => one === kind) ?? 'any') : 'any', query };
}

/** Lists what can be mentioned without a name, as far as it begins with what was typed. */
export function fixedOptions({ sign, kind, query }: TypedMention): MentionOption[] {
  if (kind !== 'any') return [];
  const whole = (name: string, about: string, item: AttachmentRef | null): MentionOption => ({
    ...{ label: `${sign}${name}`, about, text: `${sign}${name} `, item },
  });
  const begun = (name: string, about: string): MentionOption => ({
    ...{ label: `#${name}:`, about, text: `#${name}:`, item: undefined },
  });
  const options =
    sign === '@'
      ? [whole('workspace', t('What fits your words, from the whole workspace'), { kind: 'workspace', path: '@workspace' })]
      : [
          begun('file', t('A file')),
          begun('folder', t('What is in a folder')),
          begun('symbol', t('Where something is defined')),
          whole('codebase', t('What fits your words, from the whole workspace'), { kind: 'workspace', path: '@workspace' }),
          whole('selection', t('What is selected in the editor'), null),
          whole('problems', t('Errors and warnings of the editor'), { kind: 'problems', path: '#problems' }),
          whole('changes', t('Files changed and not committed'), { kind: 'changes', path: '#changes' }),
          whole('terminal', t('The last command and its output'), { kind: 'terminal', path: '#terminal' }),
        ];
  return options.filter(({ label }) => label.slice(1).startsWith(query.toLowerCase()));
}

/** Returns the entry of something that was found by its name. */
export function foundOption({ label, about, item }: MentionItem): MentionOption {
  return { label, about, text: `#${label.replace(/\s+/g, '_')} `, item };
}

/** Returns the draft with the choice in the place of what was typed. */
export function withMention(draft: string, { start, end }: TypedMention, { text, item }: MentionOption): ChosenMention {
  return { text: draft.slice(0, start) + text + draft.slice(end), at: start + text.length, item };
}

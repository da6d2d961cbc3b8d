import type { AttachmentRef } from '../../../protocol/entries';
import { fixedOptions, mentionAt, type TypedMention } from '../mentions';

/**
 * Reference in a draft. If `item` is null, the reference is the selection. If `item` is undefined, the name must be looked
 * up. `isForeign` is true if only other assistants support this name.
 */
export interface TypedReference {
  text: string;
  typed: TypedMention;
  item: AttachmentRef | null | undefined;
  isForeign: boolean;
}

/**
 * References of VS Code and GitHub Copilot that are not supported here, in lower case. Omits names that are also
 * common words, such as `#new`, `#edit` or `#search`.
 */
const foreign = {
  '#': new Set(
    `activeeditor editor editfiles extensions fetch file filesearch folder getterminaloutput githubrepo listdirectory newworkspace readfile
    runcommands runinterminal runtasks runtests searchresults sym symbol terminallastcommand terminalselection testfailure textsearch todos
    usages vscodeapi`.split(/\s+/),
  ),
  '@': new Set('azure github terminal vscode'.split(' ')),
};

/**
 * Returns the references in a draft. Examples are a full name such as `#problems`, and a kind with a name such as
 * `#file:src/app.ts`. Also returns names of other assistants, such as `#fetch` and `@vscode`. Ignores other words and code
 * in backticks.
 */
export function referencesIn(draft: string): TypedReference[] {
  if (!/[#@]/.test(draft)) return [];
  const prose = withoutCode(draft);
  return [...prose.matchAll(/\S*[#@]\S*/g)].flatMap(({ 0: word, index }): TypedReference[] => {
    const name = word.replace(/[),.;!?]+$/, '');
    const end = index + (/#(?:file|folder|symbol):$/.test(name) ? name : name.replace(/:$/, '')).length;
    const typed = mentionAt(prose, end);
    if (typed === null) return [];
    const text = draft.slice(typed.start, typed.end);
    const fixed = fixedOptions(typed).find(({ label }) => label.slice(1) === typed.query.toLowerCase());
    if (fixed !== undefined || typed.kind !== 'any') return [{ text, typed, item: fixed?.item, isForeign: false }];
    return isForeign(typed) ? [{ text, typed, item: undefined, isForeign: true }] : [];
  });
}

/** Returns true for names of other assistants. Participants must be in lower case, to distinguish them from decorators. */
function isForeign({ sign, query }: TypedMention): boolean {
  const [name = ''] = query.split(':');
  return foreign[sign].has(sign === '#' ? name.toLowerCase() : name);
}

/** Replaces code blocks and code spans with the same number of other characters. */
function withoutCode(text: string): string {
  const hidden = (code: string) => code.replace(/\S/g, '`');
  return text
    .replace(/^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n(?! {0,3}\1)[^\n]*)*(?:\n {0,3}\1[^\n]*)?/gm, hidden)
    .replace(/(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[^])*?(?<!`)\1(?!`)/g, hidden);
}

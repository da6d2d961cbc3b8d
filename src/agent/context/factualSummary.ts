import type { Entry, EntryOf } from '../../protocol/entries';
import { ruleSentences, factSentences, firstSentence } from './ruleSentences';
import { cutHead } from '../../types/cutText';

const maxLine = 240;

interface Section {
  title: string;
  /** Lines in order, with the newest last. */
  lines: string[];
  /** Relative share of the available space. Later sections get the space that earlier sections do not use. */
  share: number;
}

/** Part of a summary that a model wrote. It covers the requests and answers up to `throughSeq`. */
export interface SummaryWords {
  text: string;
  throughSeq: number;
}

/** Maximum share of the available space for the part that a model wrote. */
export const modelShare = 0.4;

/**
 * Summarizes entries without a model: requests, files, commands, failures, answers, and each sentence
 * that requires or forbids something. Such sentences remain unchanged. The result is deterministic. Older
 * lines are dropped if there is no space. `words` replaces the requests and answers that it covers.
 */
export function factualSummary(
  entries: readonly Entry[],
  characters: number,
  words?: SummaryWords,
  forgotten: ReadonlySet<string> = new Set(),
): string {
  const sections = buildSections(entries, words?.throughSeq ?? 0, forgotten).filter(({ lines }) => lines.length > 0);
  const total = sections.reduce((sum, { share }) => sum + share, 0);
  const written = words?.text.slice(0, Math.floor(characters * modelShare)) ?? '';
  let spare = characters - written.length;
  const parts: string[] = written === '' ? [] : [`${written}\n`];
  let shares = total;
  for (const { title, lines, share } of sections) {
    const room = Math.floor((spare * share) / Math.max(shares, share));
    const text = fitted(title, lines, room);
    shares -= share;
    spare -= text.length;
    if (text !== '') parts.push(text);
  }
  return parts.join('\n');
}

/** Returns the summary line of a changed file. This text identifies the line when the user removes it. */
export function describeChange({ path, operation }: Pick<EntryOf<'file_edit'>['data'], 'path' | 'operation'>): string {
  return `${path} (${operation})`;
}

export function denialReason(result: string): string {
  return result.split('\n')[0] ?? '';
}

function buildSections(entries: readonly Entry[], putIntoWords: number, forgotten: ReadonlySet<string>): Section[] {
  const isKept = (line: string) => !forgotten.has(line);
  const quoted = (sentences: readonly string[]) => sentences.filter(isKept).map((sentence) => `- "${sentence}"`);
  const asked: string[] = [];
  const rules: string[] = [];
  const facts: string[] = [];
  const changed = new Map<string, string>();
  const read = new Set<string>();
  const commands: string[] = [];
  const failed: string[] = [];
  const answers: string[] = [];
  const results = new Map(
    entries.flatMap((entry): [string, EntryOf<'tool_result'>][] =>
      entry.type === 'tool_result' ? [[entry.data.callId, entry]] : [],
    ),
  );
  for (const entry of entries) {
    if (entry.type === 'user_input') {
      const first = firstSentence(entry.content);
      if (entry.seq > putIntoWords && isKept(first)) asked.push(`- ${first}`);
      facts.push(...quoted(factSentences(entry.content)));
      rules.push(...quoted(ruleSentences(entry.content)));
    } else if (entry.type === 'question' && entry.data.phase === 'settled') {
      rules.push(...quoted(ruleSentences(entry.content)));
    } else if (entry.type === 'file_edit') {
      const { path } = entry.data;
      changed.delete(path);
      const text = describeChange(entry.data);
      if (isKept(text)) changed.set(path, `- ${text}`);
    } else if (entry.type === 'tool_call') {
      const { name, input, callId } = entry.data;
      const result = results.get(callId);
      if (typeof input['command'] === 'string') commands.push(`- ${input['command']} (${result?.data.status ?? 'no result'})`);
      else if (typeof input['path'] === 'string' && result?.data.status === 'success' && name === 'read_file')
        read.add(`- ${input['path']}`);
      const reason = denialReason(result?.content ?? '');
      if (result?.data.status === 'error' && isKept(reason)) failed.push(`- ${name}: ${reason}`);
    } else if (entry.type === 'assistant_output' && entry.data.isThinking !== true) {
      const text = entry.content.replaceAll(/\s+/g, ' ').trim();
      if (text !== '' && entry.seq > putIntoWords) answers.push(`- ${text}`);
    }
  }
  return [
    { title: 'Rules of the user, word for word:', lines: [...new Set(rules)], share: 40 },
    { title: 'Said by the user, word for word:', lines: [...new Set(facts)], share: 25 },
    { title: 'Asked for:', lines: asked, share: 10 },
    { title: 'Files changed:', lines: [...changed.values()], share: 10 },
    { title: 'Files read:', lines: [...read], share: 5 },
    { title: 'Commands run:', lines: [...new Set(commands)], share: 5 },
    { title: 'Failed:', lines: [...new Set(failed)], share: 5 },
    { title: 'Answers given, shortened:', lines: answers, share: 15 },
  ];
}

/** Keeps the newest lines that fit, and adds the number of omitted lines. */
function fitted(title: string, lines: readonly string[], room: number): string {
  const taken: string[] = [];
  let length = title.length + 40;
  for (const line of lines.toReversed()) {
    const short = line.length <= maxLine || line.startsWith('- "') ? line : `${cutHead(line, maxLine)}…`;
    if (length + short.length + 1 > room) break;
    length += short.length + 1;
    taken.unshift(short);
  }
  if (taken.length === 0) return '';
  const left = lines.length - taken.length;
  return [title, ...(left > 0 ? [`[${left} older ones are left out]`] : []), ...taken, ''].join('\n');
}

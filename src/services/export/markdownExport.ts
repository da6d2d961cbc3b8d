import type { Entry } from '../../protocol/entries';
import type { ExportedHead } from '../../protocol/exportedSession';
import { dateAndTime } from '../../types/format';
import { toBlocks, type ExportBlock } from './blocks';

/** Converts a conversation to Markdown in pieces. Collapses attachments, diffs and tool output. */
export function* toMarkdown(session: ExportedHead, entries: readonly Entry[]): Generator<string, void> {
  const about = [session.model, session.projectPath, dateAndTime(session.createdAt)].filter((part) => part !== null);
  yield `# ${escaped(session.title)}\n\n${about.map(escaped).join(' · ')}\n`;
  for (const block of toBlocks(entries)) yield `\n${renderBlock(block)}\n`;
}

function renderBlock(block: ExportBlock): string {
  switch (block.kind) {
    case 'heading':
      return `## ${escaped(block.text)}\n\n<sub>${dateAndTime(block.time)}</sub>`;
    case 'prose':
      return block.text;
    case 'note':
      return block.text
        .split('\n')
        .map((line) => `> ${escaped(line)}`)
        .join('\n');
    case 'fold':
      return [`<details><summary>${escaped(block.title)}</summary>`, ...block.parts.map(fenced), '</details>'].join('\n\n');
  }
}

/** Returns text in a fence that is longer than every fence in the text. */
function fenced({ text, language }: { text: string; language: string }): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Escapes text so that it stays on one line of Markdown. */
function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>#|]/g, (character) => `\\${character}`);
}

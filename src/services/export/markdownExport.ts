import type { Entry } from '../../protocol/entries';
import type { ExportedHead } from '../../protocol/exportedSession';
import { blocksOf, type ExportBlock } from './blocks';

/** Converts a conversation to Markdown in pieces. Collapses attachments, diffs and tool output. */
export function* toMarkdown(session: ExportedHead, entries: readonly Entry[]): Generator<string, void> {
  const about = [session.model, session.projectPath, new Date(session.createdAt).toISOString()].filter((part) => part !== null);
  yield `# ${escaped(session.title)}\n\n${about.map(escaped).join(' · ')}\n`;
  for (const block of blocksOf(entries)) yield `\n${markdownOf(block)}\n`;
}

function markdownOf(block: ExportBlock): string {
  switch (block.kind) {
    case 'heading':
      return `## ${escaped(block.text)}\n\n<sub>${new Date(block.time).toISOString()}</sub>`;
    case 'prose':
      return block.text;
    case 'note':
      return block.text
        .split('\n')
        .map((line) => `> ${escaped(line)}`)
        .join('\n');
    case 'fold': {
      const longest = Math.max(2, ...(block.text.match(/`+/g) ?? []).map(({ length }) => length));
      const fence = '`'.repeat(longest + 1);
      const summary = `<details><summary>${escaped(block.title)}</summary>`;
      return `${summary}\n\n${fence}${block.language}\n${block.text}\n${fence}\n\n</details>`;
    }
  }
}

/** Escapes text so that it stays one line of Markdown. */
function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>#|]/g, (character) => `\\${character}`);
}

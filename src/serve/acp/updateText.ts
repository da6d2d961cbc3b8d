import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { visibleLine } from '../../protocol/text/visibleText';

/** Maximum length of a title, in characters. The full text is below it. */
const mostTitle = 200;

/** Returns the beginning of a text as one line. */
export function titleOf(text: string): string {
  const title = visibleLine(text.slice(0, mostTitle + 1));
  return title.length > mostTitle ? `${title.slice(0, mostTitle).replace(/[\ud800-\udbff]$/, '')}…` : title;
}

/** Returns a text in a code fence, so that clients show Markdown in it literally. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { visibleLine } from '../../protocol/text/visibleText';
import { cutHead } from '../../types/cutText';

/** Maximum length of a title, in characters. The full text is below the title. */
const mostTitle = 200;

/** Returns the start of a text as one line. */
export function firstLine(text: string): string {
  const title = visibleLine(cutHead(text, mostTitle + 40));
  return title.length > mostTitle ? `${cutHead(title, mostTitle)}…` : title;
}

/** Returns a text in a code fence, so that clients do not interpret Markdown in it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

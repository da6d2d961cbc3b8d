import type { Attachment } from './entries';

/** A message as the model reads it: what is attached, each in a fence of its own, and then the person's words. */
export function withAttachments(text: string, attachments: readonly Attachment[]): string {
  return [...attachments.map(attachmentText), text].join('\n\n');
}

function attachmentText({ kind, path, startLine, endLine, content }: Attachment): string {
  const lines = startLine === undefined ? '' : `, lines ${startLine} to ${endLine ?? startLine}`;
  const title = `Attached ${kind}: ${path}${lines}`;
  if (content === undefined) return `${title} (its text was not kept)`;
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(content)));
  return `${title}\n${fence}\n${content}${content.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** Returns the length of the longest run of backticks, so that no fence inside ends the one around the text. */
function longestRun(content: string): number {
  return (content.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

import type { Entry } from '../../protocol/entries';
import { shortenedText } from '../../protocol/context/shortening';
import { cutHead } from '../../types/cutText';

/** Beginning of the instructions. It identifies a summary request. */
export const summaryOpening = 'You write the summary of a conversation between a user and a coding agent.';

const sections = ['Goal', 'Done', 'Decisions', 'Files', 'Problems', 'Next'] as const;

export function summaryInstructions(words: number): string {
  return [
    summaryOpening,
    'The agent sees your summary in place of the conversation and goes on with it. Use what is written only; never invent, never answer, never call tools.',
    `Write these sections, each with its heading and short points, ${words} words in all at the most: ${sections.map((title) => `"## ${title}"`).join(', ')}.`,
    'Goal: what the user wants now. Done: what was done. Decisions: what was decided, and why. Files: paths that matter, and what they hold.',
    'Problems: what failed, with the words of the error. Next: what is left to do. Write "none" where there is nothing.',
    'Keep names, paths, numbers and commands to the letter. Write in the language of the user.',
  ].join('\n');
}

export function summaryMessage(earlier: string, transcript: string): string {
  const before = earlier === '' ? '' : `Summary so far, to be carried on:\n${earlier}\n\n`;
  return `${before}Conversation:\n${transcript}\n\nWrite the whole summary now, what came before included.`;
}

/** Maximum characters of a message in a transcript. */
const message = 3000;
/** Maximum characters of an answer in a transcript. */
const answer = 2000;
/** Maximum characters of a tool result in a transcript. */
const result = 400;

/** Formats an entry for a transcript. Returns an empty text for an entry without content. */
export function transcriptLine(entry: Entry): string {
  switch (entry.type) {
    case 'user_input':
      return `User: ${shortenedText(entry.content, message)}`;
    case 'assistant_output':
      return entry.data.isThinking === true || entry.content.trim() === ''
        ? ''
        : `Agent: ${shortenedText(entry.content, answer)}`;
    case 'tool_call':
      return `Call: ${entry.data.name} ${shortenedText(JSON.stringify(entry.data.input), result)}`;
    case 'tool_result':
      return `Result (${entry.data.status}): ${shortenedText(entry.content, result)}`;
    case 'file_edit':
      return `Changed: ${entry.data.path} (${entry.data.operation})`;
    default:
      return '';
  }
}

/** Minimum number of sections in a summary. */
const minSections = 3;
/** Minimum share of the longer words of a summary that must also occur in the source. */
const minKnownShare = 0.3;

/**
 * Validates a summary that a model wrote, and shortens it to the maximum length. Returns
 * null if sections are missing, lines repeat, or too few words occur in the source.
 */
export function usableSummary(text: string, source: string, characters: number): string | null {
  const start = sections.map((title) => headingAt(text, title)).filter((at) => at >= 0);
  if (start.length < minSections) return null;
  const body = text.slice(Math.min(...start)).trim();
  const lines = body
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0 || new Set(lines).size < lines.length * 0.5) return null;
  const words = longWords(lines.join('\n'));
  const known = new Set(longWords(source));
  const shared = words.filter((word) => known.has(word)).length;
  if (words.length < 3 || shared < words.length * minKnownShare) return null;
  return body.length <= characters ? body : wholeLines(body, characters);
}

function headingAt(text: string, title: string): number {
  return text.search(new RegExp(String.raw`^[ \t]*(?:#{1,4}[ \t]*|\*\*)${title}\b`, 'im'));
}

function longWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]{5,}/gu) ?? [];
}

function wholeLines(text: string, characters: number): string {
  const cut = text.lastIndexOf('\n', characters);
  return cutHead(text, cut > 0 ? cut : characters);
}

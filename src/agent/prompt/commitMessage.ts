import { FileSensitivity } from '../../utils/sensitivity/fileSensitivity';
import { holdsKey, withoutKeys } from '../../utils/sensitivity/keyShapes';
import type { WireMessage } from '../../types/ollama';
import { conservativeTokenLength } from '../../types/tokenLength';
import { cutHead } from '../../types/cutText';

/** Maximum share of the context window for the diff. */
const share = 0.6;

export interface CommitChanges {
  /** Unified diff, as git prints it. */
  diff: string;
  /** Last commit messages of the repository, as style examples. */
  recent: readonly string[];
  /** Text that the user has already entered. It may be empty. */
  begun: string;
  /** Context window in tokens. */
  window: number;
}

export interface CommitRequest {
  messages: WireMessage[];
  /** Files that are not in the prompt because they may contain secrets. */
  leftOut: string[];
}

/** Builds the request for a commit message. Returns null if no file may be sent. */
export function commitRequest({ diff, recent, begun, window }: CommitChanges): CommitRequest | null {
  const sensitivity = new FileSensitivity();
  const parts = diff.split(/^(?=diff --git )/m).filter((part) => part.trim() !== '');
  const shown: string[] = [];
  const leftOut: string[] = [];
  for (const part of parts) {
    const path = /^diff --git (?:"?a\/.*?"? )"?b\/(.*?)"?$/m.exec(part)?.[1] ?? '';
    if (sensitivity.isSecret(path) || holdsKey(part)) leftOut.push(path);
    else shown.push(part);
  }
  if (shown.length === 0) return null;
  const room = Math.floor((window * share * conservativeTokenLength) / shown.length);
  const text = shown.map((part) => shortened(part, room)).join('');
  const style =
    recent.length === 0 ? '' : `\n\nThe last messages of this repository, for their style:\n${recent.map(firstLine).join('\n')}`;
  const hint = begun.trim() === '' ? '' : `\n\nThe user has begun it with: ${begun.trim()}`;
  const system =
    'You write commit messages. Answer with the message alone: a first line of at most 72 characters in the imperative, then, only where it needs saying, an empty line and a short body. No quotes, no Markdown fences, no remarks.';
  return {
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: `The changes:\n\n${text}${style}${hint}` },
    ],
    leftOut,
  };
}

/** Removes fences, quotes and introductions from the model's answer. */
export function cleanCommitMessage(answer: string): string {
  const fenced = /```[^\n]*\n([\s\S]*?)(?:```|$)/.exec(answer)?.[1] ?? answer;
  const text = fenced.replace(/^\s*(?:here is|here's)[^\n]*:\s*\n/i, '').trim();
  const quoted = /^(["'`])([\s\S]*)\1$/.exec(text)?.[2] ?? text;
  return quoted.replace(/^(?:commit message|subject)\s*:\s*/i, '').trim();
}

function firstLine(message: string): string {
  return `- ${withoutKeys(message.split('\n')[0] ?? '')}`;
}

function shortened(part: string, room: number): string {
  return part.length <= room ? part : `${cutHead(part, room)}\n[… ${part.length - room} characters more]\n`;
}

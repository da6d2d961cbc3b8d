import { randomBytes } from 'node:crypto';

/** Ids are in the order of their times, in milliseconds; `mark` tells those of one time apart. */
export function checkpointId(time: number, mark = randomBytes(6).toString('hex')): string {
  return `ckpt_${Math.max(0, time).toString().padStart(13, '0')}_${mark}`;
}

/** 0 for what is no id. */
export function checkpointTime(id: string): number {
  return Number(id.split('_')[1] ?? 0);
}

/** The title of the checkpoint before a message. */
export function messageCheckpointTitle(text: string): string {
  return `Before user message: ${shortLine(text)}`;
}

/** The title of one that is taken late: the agent has worked on the message already. */
export function continuingCheckpointTitle(text: string): string {
  return `Before continuing: ${shortLine(text)}`;
}

/** Those of the checkpoints around a command. */
export function commandCheckpointTitles(command: unknown): { before: string; after: string } {
  const what = typeof command === 'string' && command.trim() !== '' ? `: ${shortLine(command)}` : '';
  return { before: `Before command${what}`, after: `After command${what}` };
}

function shortLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

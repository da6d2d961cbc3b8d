import { randomBytes } from 'node:crypto';
import { beforeMessage } from '../../../types/checkpointTitle';
import { shortened } from '../../../types/cutText';

/** Milliseconds reserved before a message's checkpoint, for checkpoints requested earlier and taken later. */
const reservedMs = 1_000;

/**
 * Returns an id that sorts by time in milliseconds; `mark` distinguishes ids of the same time. Ids define the order of checkpoints, so
 * after the clock was set back, their time runs ahead of it.
 */
export function checkpointId(time: number, mark = randomBytes(6).toString('hex')): string {
  return `ckpt_${Math.max(0, time).toString().padStart(13, '0')}_${mark}`;
}

/** Returns an id after `latest`, whatever the clock says; `now` in milliseconds. */
export function nextCheckpointId(latest: string | null, now: number): string {
  return checkpointId(Math.max(now, checkpointTime(latest ?? '') + 1));
}

/** Moves an id made by the clock behind `latest`, with reserved time before it. Keeps its mark. */
export function nextMessageCheckpointId(latest: string | null, id: string): string {
  const least = checkpointTime(latest ?? '') + 2;
  return checkpointTime(id) >= least ? id : checkpointId(least + reservedMs, markOf(id));
}

export function markOf(id: string): string {
  return id.split('_')[2] ?? '';
}

/** Returns the time in an id; 0 if the text is not an id. */
export function checkpointTime(id: string): number {
  return Number(id.split('_')[1] ?? 0);
}

export function messageCheckpointTitle(text: string): string {
  return `${beforeMessage}${shortLine(text)}`;
}

/** Returns the title of a late checkpoint: the agent has already worked on the message. */
export function continuingCheckpointTitle(text: string): string {
  return `Before continuing: ${shortLine(text)}`;
}

/** Returns the titles of the checkpoints around a command; `during` is for a background command. */
export function commandCheckpointTitles(command: unknown): { before: string; during: string; after: string } {
  const what = typeof command === 'string' && command.trim() !== '' ? `: ${shortLine(command)}` : '';
  return { before: `Before command${what}`, during: `During command${what}`, after: `After command${what}` };
}

function shortLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return shortened(line, 80);
}

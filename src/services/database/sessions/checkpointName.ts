import { randomBytes } from 'node:crypto';
import { beforeMessage } from '../../../types/checkpointTitle';
import { shortened } from '../../../types/cutText';

/** Milliseconds reserved before a message's checkpoint, for checkpoints that are requested before it but taken later. */
const reservedMs = 1_000;

/**
 * Returns an ID that sorts by time in milliseconds. `mark` distinguishes IDs with the same time. IDs define
 * the order of checkpoints. If the clock was set back, the time in new IDs is therefore ahead of the clock.
 */
export function checkpointId(time: number, mark = randomBytes(6).toString('hex')): string {
  return `ckpt_${Math.max(0, time).toString().padStart(13, '0')}_${mark}`;
}

/** Returns an id after `latest`, even if the clock was set back. `now` is in milliseconds. */
export function nextCheckpointId(latest: string | null, now: number): string {
  return checkpointId(Math.max(now, checkpointTime(latest ?? '') + 1));
}

/** Moves a clock-based ID after `latest`, and leaves reserved time before it. Keeps its mark. */
export function nextMessageCheckpointId(latest: string | null, id: string): string {
  const least = checkpointTime(latest ?? '') + 2;
  return checkpointTime(id) >= least ? id : checkpointId(least + reservedMs, checkpointMark(id));
}

/** Creates an id between two ids, as close to `now` (in milliseconds) as possible. `nextMessageCheckpointId` leaves a gap before message ids. */
export function checkpointIdBetween(before: string | null, after: string, now: number): string {
  const least = checkpointTime(before ?? '') + 1;
  const limit = checkpointTime(after);
  const time = Math.max(now, least);
  return checkpointId(time < limit ? time : Math.max(least, Math.floor((least + limit) / 2)));
}

export function checkpointMark(id: string): string {
  return id.split('_')[2] ?? '';
}

/** Returns the time in an id, or 0 if the text is not an id. */
export function checkpointTime(id: string): number {
  return Number(id.split('_')[1] ?? 0);
}

export function messageCheckpointTitle(text: string): string {
  return `${beforeMessage}${shortLine(text)}`;
}

/** Returns the title of a checkpoint that is taken late, when the agent has already worked on the message. */
export function continuingCheckpointTitle(text: string): string {
  return `Before continuing: ${shortLine(text)}`;
}

/** Returns the titles of the checkpoints around a command. `during` is used for a background command. */
export function commandCheckpointTitles(command: unknown): { before: string; during: string; after: string } {
  const what = typeof command === 'string' && command.trim() !== '' ? `: ${shortLine(command)}` : '';
  return { before: `Before command${what}`, during: `During command${what}`, after: `After command${what}` };
}

function shortLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return shortened(line, 80);
}

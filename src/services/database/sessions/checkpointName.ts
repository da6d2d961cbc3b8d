import { randomBytes } from 'node:crypto';

/** Milliseconds left free before a message's checkpoint, for those requested before the message and taken after it was sent. */
const roomMs = 1_000;

/**
 * Ids are in the order of their times, in milliseconds; `mark` tells those of one time apart. They are the order of checkpoints: each is
 * after all that there are, so the time in it is later than the clock's where that was set back.
 */
export function checkpointId(time: number, mark = randomBytes(6).toString('hex')): string {
  return `ckpt_${Math.max(0, time).toString().padStart(13, '0')}_${mark}`;
}

/** Returns an id that follows `latest`, the last one there is, whatever the clock says; `now` in milliseconds. */
export function nextCheckpointId(latest: string | null, now: number): string {
  return checkpointId(Math.max(now, checkpointTime(latest ?? '') + 1));
}

/** Moves an id made by the clock alone behind `latest`, with room before it; the mark stays. */
export function nextMessageCheckpointId(latest: string | null, id: string): string {
  const least = checkpointTime(latest ?? '') + 2;
  return checkpointTime(id) >= least ? id : checkpointId(least + roomMs, markOf(id));
}

export function markOf(id: string): string {
  return id.split('_')[2] ?? '';
}

/** Returns the time in an id; 0 for a text that is no id. */
export function checkpointTime(id: string): number {
  return Number(id.split('_')[1] ?? 0);
}

/** Returns the title of the checkpoint before a message. */
export function messageCheckpointTitle(text: string): string {
  return `Before user message: ${shortLine(text)}`;
}

/** Returns the title of a checkpoint that is taken late: the agent has worked on the message already. */
export function continuingCheckpointTitle(text: string): string {
  return `Before continuing: ${shortLine(text)}`;
}

/** Returns the titles of the checkpoints around a command; `during` is for one that goes on in the background. */
export function commandCheckpointTitles(command: unknown): { before: string; during: string; after: string } {
  const what = typeof command === 'string' && command.trim() !== '' ? `: ${shortLine(command)}` : '';
  return { before: `Before command${what}`, during: `During command${what}`, after: `After command${what}` };
}

function shortLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

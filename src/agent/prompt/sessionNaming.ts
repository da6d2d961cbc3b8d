import type { SessionStore } from '../kernel/ports';
import { titleAmong, titleBeginning, type FirstMessage } from './sessionTitle';

/** Returns a unique title for a session with this first message. `now` is in milliseconds since the epoch. */
export async function titleFor(sessions: SessionStore, message: FirstMessage, now: number): Promise<string> {
  return titleAmong(message, await sessions.titlesWith(titleBeginning(message.text)), now);
}

/** Sets the title of a session that a client created without one. */
export async function nameUntitled(sessions: SessionStore, sessionId: string, message: FirstMessage, now: number): Promise<void> {
  if ((await sessions.get(sessionId))?.title !== '') return;
  await sessions.update(sessionId, { title: await titleFor(sessions, message, now) });
}

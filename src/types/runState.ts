/** Run states of a session. `elsewhere`: another window runs it. `interrupted`: its window no longer exists. */
export const runStates = ['idle', 'running', 'queued', 'elsewhere', 'interrupted'] as const;
export type RunStateName = (typeof runStates)[number];

/** Returns true if this window runs a session or has queued it. */
export function isAtWork(state: RunStateName): boolean {
  return state === 'running' || state === 'queued';
}

/** Returns true if any window runs a session or has queued it. */
export function isLive(state: RunStateName): boolean {
  return isAtWork(state) || state === 'elsewhere';
}

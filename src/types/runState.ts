/** States of the run of a session. `elsewhere`: another window runs it. `interrupted`: its window is gone. */
export const runStates = ['idle', 'running', 'queued', 'elsewhere', 'interrupted'] as const;
export type RunStateName = (typeof runStates)[number];

/** Tells whether this window works on a session, or will when its turn comes. */
export function isAtWork(state: RunStateName): boolean {
  return state === 'running' || state === 'queued';
}

/** Tells whether any window works on a session, or will. */
export function isLive(state: RunStateName): boolean {
  return isAtWork(state) || state === 'elsewhere';
}

import { randomBytes } from 'node:crypto';

const pattern = /^\.ollama-copilot-([0-9a-f]{24})\.tmp$/;

/** Makes a new name for a file that is written beside the one it is to become. Nobody else makes such a name. */
export function temporaryName(): string {
  return `.ollama-copilot-${randomBytes(12).toString('hex')}.tmp`;
}

/** Tells whether a file of this name is just being written, or was left by a window that was killed. */
export function isTemporaryName(name: string): boolean {
  return pattern.test(name);
}

import { randomBytes } from 'node:crypto';

const pattern = /^\.ollama-copilot-([0-9a-f]{24})\.tmp$/;

/** Returns a unique name for a temporary file next to its target. */
export function temporaryName(): string {
  return `.ollama-copilot-${randomBytes(12).toString('hex')}.tmp`;
}

/** Returns true for the name of a temporary file, which is in use or was left behind by a killed window. */
export function isTemporaryName(name: string): boolean {
  return pattern.test(name);
}

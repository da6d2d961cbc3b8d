import { visibleLine } from '../../protocol/text/visibleText';

/** Decision about a command that the sandbox blocked, with its name in the API. */
export type SandboxChoice = 'allow_host' | 'run_outside';

/**
 * Returns the possible decisions about a command that the sandbox blocked, least risky
 * first. Returns none for other approvals.
 */
export function sandboxChoices({ sandbox }: Readonly<Record<string, unknown>>): { choice: SandboxChoice; name: string }[] {
  if (typeof sandbox !== 'object' || sandbox === null) return [];
  const host = 'host' in sandbox && typeof sandbox.host === 'string' ? sandbox.host : null;
  return [
    ...(host === null ? [] : [{ choice: 'allow_host', name: `Allow ${visibleLine(host)} for this session` } as const]),
    { choice: 'run_outside', name: 'Run outside the sandbox once' },
  ];
}

import { visibleLine } from '../../protocol/text/visibleText';

/** Answer to a command that the sandbox blocked, as the API names it. */
export type SandboxChoice = 'allow_host' | 'run_outside';

/** Returns the answers to an approval of a command that the sandbox blocked, the least risky first; none for other approvals. */
export function sandboxChoices({ sandbox }: Readonly<Record<string, unknown>>): { choice: SandboxChoice; name: string }[] {
  if (typeof sandbox !== 'object' || sandbox === null) return [];
  const host = 'host' in sandbox && typeof sandbox.host === 'string' ? sandbox.host : null;
  return [
    ...(host === null ? [] : [{ choice: 'allow_host', name: `Allow ${visibleLine(host)} for this session` } as const]),
    { choice: 'run_outside', name: 'Run outside the sandbox once' },
  ];
}

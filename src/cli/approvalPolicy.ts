/** Requests that `--approve` covers without a user. Each policy includes the earlier ones. */
export const approvePolicies = ['none', 'read', 'edit', 'safe', 'sandbox'] as const;
export type ApprovePolicy = (typeof approvePolicies)[number];

/**
 * Tells whether a policy approves the request of an event. A command is covered only if its risk is low and the sandbox did not stop it: to
 * approve it then would run it outside.
 */
export function isCovered(policy: ApprovePolicy, { kind, severity, sandbox }: Readonly<Record<string, unknown>>): boolean {
  if (sandbox !== undefined) return false;
  const level = approvePolicies.indexOf(policy);
  if (kind === 'read') return level >= approvePolicies.indexOf('read');
  if (kind === 'edit') return level >= approvePolicies.indexOf('edit');
  return kind === 'command' && severity === 'low' && level >= approvePolicies.indexOf('safe');
}

/** Requests that `--approve` approves without a user. Each policy includes the previous ones. */
export const approvePolicies = ['none', 'read', 'edit', 'safe', 'sandbox'] as const;
export type ApprovePolicy = (typeof approvePolicies)[number];

/**
 * Returns true if a policy approves the request of an event. A command is only approved if its risk is low and the sandbox
 * did not block it. Otherwise, approval would run it outside the sandbox.
 */
export function isCovered(policy: ApprovePolicy, { kind, severity, sandbox }: Readonly<Record<string, unknown>>): boolean {
  if (sandbox !== undefined) return false;
  const level = approvePolicies.indexOf(policy);
  if (kind === 'read') return level >= approvePolicies.indexOf('read');
  if (kind === 'edit') return level >= approvePolicies.indexOf('edit');
  return kind === 'command' && severity === 'low' && level >= approvePolicies.indexOf('safe');
}

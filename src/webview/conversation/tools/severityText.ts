import type { Severity } from '../../../protocol/timeline';
import { t } from '../../translate';

const severities = { low: 'low risk', medium: 'medium risk', high: 'high risk', critical: 'critical risk' } as const;

/** Describes the risk of a command to the user. */
export function severityText(severity: Severity): string {
  return t(severities[severity]);
}

/** Returns true if *Skip* is the default for a command or an edit of this severity. Then no key approves it. */
export function isSevere(severity: Severity | null): boolean {
  return severity === 'high' || severity === 'critical';
}

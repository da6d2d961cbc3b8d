import type { PullState } from '../../../protocol/webviewEvents';
import { t } from '../../translate';
import { fileSize } from '../../../types/format';

/** Describes download progress, for example `1.2 GB of 5.2 GB · 35 MB/s · 2 min left`. */
export function pullText(pull: PullState): string {
  const { status, completed, total, bytesPerSecond } = pull;
  if (status === 'starting' || total === null) return t('Starting…');
  if (status !== 'pulling') return t('Verifying…');
  const parts = [t('{0} of {1}', fileSize(completed), fileSize(total))];
  if (bytesPerSecond !== null && bytesPerSecond > 0) {
    parts.push(t('{0}/s', fileSize(bytesPerSecond)), timeLeft((total - completed) / bytesPerSecond));
  }
  return parts.join(' · ');
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return t('less than a minute left');
  if (seconds < 3600) return t('{0} min left', Math.ceil(seconds / 60));
  return t('{0} h left', Math.ceil(seconds / 3600));
}

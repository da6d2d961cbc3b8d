import type { SessionSummary } from '../../protocol/webviewEvents';
import { t } from '../translate';

/** Returns the label for the state of a session, if it has one. */
export function sessionStateText(state: SessionSummary['state']): string | null {
  switch (state) {
    case 'running':
      return t('running');
    case 'waiting':
      return t('waiting for you');
    case 'paused':
      return t('paused');
    case 'failed':
      return t('failed');
    case 'queued':
      return t('queued');
    case 'elsewhere':
      return t('in another window');
    case 'interrupted':
      return t('interrupted');
    case 'idle':
      return null;
  }
}

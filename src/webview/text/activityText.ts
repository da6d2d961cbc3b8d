import type { Activity } from '../../protocol/webviewEvents';
import { t } from '../l10n';

/** When a wait is long enough to be explained. Milliseconds. */
const longWait = 10_000;

/** What a run is doing, in one true line, or null when the conversation shows it by itself. */
export function activityText(activity: Activity, now: number): string | null {
  switch (activity.kind) {
    case 'connecting':
      return withSeconds(t('Connecting to Ollama…'), activity.since, now);
    case 'loading':
      return withSeconds(t('Loading {0} into memory…', activity.model), activity.since, now);
    case 'reading':
      return activity.promptTokens === null
        ? withSeconds(t('Reading the conversation…'), activity.since, now)
        : withSeconds(t('Reading about {0} tokens…', activity.promptTokens.toLocaleString()), activity.since, now);
    case 'retrying': {
      const seconds = Math.max(0, Math.ceil((activity.until - now) / 1000));
      if (seconds === 0) return t('Trying again ({0} of {1}): {2}', activity.attempt, activity.of, activity.reason);
      return t('Trying again in {0} s ({1} of {2}): {3}', seconds, activity.attempt, activity.of, activity.reason);
    }
    case 'queued':
      return activity.position <= 1
        ? t('Waiting for another answer to finish')
        : t('Waiting, {0} are before this one', activity.position);
    case 'stopping':
      return t('Stopping…');
    case 'answering':
    case 'tool':
    case 'waitingForApproval':
      return null;
  }
}

/** Why a wait may be long, once it is. */
export function slownessText(activity: Activity, now: number): string | null {
  if (!('since' in activity) || now - activity.since < longWait) return null;
  switch (activity.kind) {
    case 'connecting':
      return t('The server has not answered yet. It may be busy or starting.');
    case 'loading':
      return t('A large model takes a while to load the first time, longer where it does not fit into graphics memory.');
    case 'reading':
      return t('A long conversation takes a while to read, longer where the model runs without graphics memory.');
    default:
      return null;
  }
}

function withSeconds(text: string, since: number, now: number): string {
  const seconds = Math.floor((now - since) / 1000);
  return seconds < 2 ? text : `${text} ${t('{0} s', seconds)}`;
}

import type { Activity } from '../../protocol/webviewEvents';
import { t } from '../translate';

/** Milliseconds after which a wait is explained. */
const longWait = 10_000;

/** Tells in one true line what a run is doing; null if the conversation shows it by itself. */
export function activityText(activity: Activity, now: number): string | null {
  switch (activity.kind) {
    case 'connecting':
      return withSeconds(t('Connecting to Ollama…'), activity.since, now);
    case 'loading':
      return withSeconds(t('Loading {0} into memory…', activity.model), activity.since, now);
    case 'reading':
      return withSeconds(readingText(activity), activity.since, now);
    case 'preparing':
      return withSeconds(preparingText(activity, now), activity.since, now);
    case 'behind':
      return withSeconds(t('Waiting for another answer to end…'), activity.since, now);
    case 'summarising':
      return withSeconds(t('Summarising what is old, to make room…'), activity.since, now);
    case 'silent':
      return t(
        'Nothing has come for {0} min. The server may have stopped; Stop and Retry are safe.',
        minutes(activity.since, now),
      );
    case 'retrying': {
      const seconds = Math.max(0, Math.ceil((activity.until - now) / 1000));
      if (seconds === 0) return t('Trying again ({0} of {1}): {2}', activity.attempt, activity.of, activity.reason);
      return t('Trying again in {0} s ({1} of {2}): {3}', seconds, activity.attempt, activity.of, activity.reason);
    }
    case 'queued':
      return activity.position <= 1
        ? t('Waiting for another answer to end')
        : t('Waiting, {0} are before this one', activity.position);
    case 'stopping':
      return t('Stopping…');
    case 'answering':
    case 'tool':
    case 'waitingForApproval':
      return null;
  }
}

function readingText({ promptTokens, orPreparing }: Extract<Activity, { kind: 'reading' }>): string {
  const tokens = promptTokens.toLocaleString();
  if (orPreparing === undefined) return t('Reading about {0} tokens…', tokens);
  return orPreparing === 'editOrCall'
    ? t('Reading about {0} tokens, or preparing an edit or another call…', tokens)
    : t('Reading about {0} tokens, or preparing a call…', tokens);
}

/** Tokens below which an estimate is too small to say. */
const worthSaying = 10;

function preparingText({ work, since, writing }: Extract<Activity, { kind: 'preparing' }>, now: number): string {
  if (writing !== undefined) {
    const tokens = Math.min(writing.limit ?? Infinity, ((now - since) / 1000) * writing.tokensPerSecond);
    const rounded = tokens < 100 ? Math.round(tokens / 10) * 10 : Math.round(tokens / 100) * 100;
    return rounded < worthSaying ? t('Writing a call…') : t('Writing a call, about {0} tokens…', rounded.toLocaleString());
  }
  if (work === 'edit') return t('Preparing an edit…');
  if (work === 'editOrCall') return t('Preparing an edit or another call…');
  return work === 'command' ? t('Preparing a command…') : t('Preparing a call…');
}

/** Explains why a wait is long; null before it is. */
export function slownessText(activity: Activity, now: number): string | null {
  if (!('since' in activity) || now - activity.since < longWait) return null;
  switch (activity.kind) {
    case 'connecting':
      return t('The server has not answered yet. It may be busy or starting.');
    case 'loading':
      return t('A large model takes a while to load, longer where other models have to leave the memory first.');
    case 'reading':
      if (activity.orPreparing !== undefined)
        return t('Nothing of a call comes before it is whole. A long conversation also takes a while to read.');
      return t(
        'A long conversation takes a while to read. The server may also be busy with an answer for another window or program.',
      );
    case 'preparing':
      if (activity.writing === undefined) return null;
      return t('Nothing of a call comes before it is whole. The number is an estimate from how fast the model wrote before.');
    case 'summarising':
      return t('{0} writes the summary. Stop keeps what is written; without a model a summary is made at once.', activity.model);
    case 'behind':
      return t('{0} answers one message at a time here. This one is next when the answer before it has ended.', activity.model);
    default:
      return null;
  }
}

function minutes(since: number, now: number): number {
  return Math.max(1, Math.floor((now - since) / 60_000));
}

function withSeconds(text: string, since: number, now: number): string {
  const seconds = Math.floor((now - since) / 1000);
  return seconds < 2 ? text : `${text} ${t('{0} s', seconds)}`;
}

import type { Activity } from '../../protocol/webviewEvents';
import { t } from '../translate';

type Reading = Extract<Activity, { kind: 'reading' }>;

/** Milliseconds of waiting before an explanation is shown. */
const longWait = 10_000;

/** Describes in one line what a run is doing. Returns null if the chat already shows it. */
export function activityText(activity: Activity, now: number): string | null {
  switch (activity.kind) {
    case 'connecting':
      return withSeconds(t('Connecting to Ollama…'), activity.since, now);
    case 'loading':
      return withSeconds(t('Loading {0} into memory…', activity.model), activity.since, now);
    case 'reading':
      return measuredText(activity, now) ?? withSeconds(readingText(activity), activity.since, now);
    case 'preparing':
      return withSeconds(preparingText(activity, now), activity.since, now);
    case 'behind':
      return withSeconds(t('Waiting for another answer to finish…'), activity.since, now);
    case 'summarising':
      return withSeconds(t('Summarizing earlier messages…'), activity.since, now);
    case 'silent':
      return t(
        'No response for {0} min. The server may have stopped. You can safely stop and retry.',
        minutes(activity.since, now),
      );
    case 'retrying': {
      const seconds = Math.max(0, Math.ceil((activity.until - now) / 1000));
      if (seconds === 0) return t('Retrying ({0} of {1}): {2}', activity.attempt, activity.of, activity.reason);
      return t('Retrying in {0} s ({1} of {2}): {3}', seconds, activity.attempt, activity.of, activity.reason);
    }
    case 'queued':
      return activity.position <= 1
        ? t('Waiting for another answer to finish')
        : t('Waiting, number {0} in the queue', activity.position);
    case 'stopping':
      return t('Stopping…');
    case 'answering':
    case 'tool':
    case 'waitingForApproval':
      return null;
  }
}

/** Minimum share of new text at which the whole prompt counts as new. */
const allNew = 0.95;

/** Describes what the server reads and the expected time at its measured speed. Returns null without measurements. */
function measuredText({ promptTokens, measured, since, orPreparing }: Reading, now: number): string | null {
  if (measured === undefined || orPreparing !== undefined) return null;
  const { newTokens, expectedMs } = measured;
  const part = inTens(newTokens);
  const all = inTens(promptTokens);
  const isWhole = newTokens >= promptTokens * allNew;
  const seconds = Math.max(1, Math.round(expectedMs / 1000));
  // After the expected time, show the elapsed time instead.
  if (now - since <= Math.max(2_000, expectedMs))
    return isWhole
      ? t('Processing {0} tokens, about {1} s', all, seconds)
      : t('Processing {0} new tokens of {1}, about {2} s', part, all, seconds);
  return withSeconds(isWhole ? t('Processing {0} tokens…', all) : t('Processing {0} new tokens of {1}…', part, all), since, now);
}

/** Rounds an estimate to tens, with a minimum of 10. */
function inTens(tokens: number): number {
  return Math.max(10, Math.round(tokens / 10) * 10);
}

function readingText({ promptTokens, orPreparing }: Reading): string {
  const tokens = promptTokens;
  if (orPreparing === undefined) return t('Processing about {0} tokens…', tokens);
  return orPreparing === 'editOrCall'
    ? t('Processing about {0} tokens, or preparing an edit or another tool call…', tokens)
    : t('Processing about {0} tokens, or preparing a tool call…', tokens);
}

/** Minimum number of tokens for an estimate to be shown. */
const worthSaying = 10;

function preparingText({ work, since, writing }: Extract<Activity, { kind: 'preparing' }>, now: number): string {
  if (writing !== undefined) {
    const tokens = Math.min(writing.limit ?? Infinity, ((now - since) / 1000) * writing.tokensPerSecond);
    const rounded = tokens < 100 ? Math.round(tokens / 10) * 10 : Math.round(tokens / 100) * 100;
    return rounded < worthSaying
      ? t('Waiting for the model…')
      : t('Waiting for the model (up to about {0} tokens written so far)…', rounded);
  }
  if (work === 'edit') return t('Preparing an edit…');
  if (work === 'editOrCall') return t('Preparing an edit or another tool call…');
  return work === 'command' ? t('Preparing a command…') : t('Preparing a tool call…');
}

/** Explains a long wait. Returns null for a short wait. */
export function slownessText(activity: Activity, now: number): string | null {
  if (!('since' in activity) || now - activity.since < longWait) return null;
  switch (activity.kind) {
    case 'connecting':
      return t('The server has not responded yet. It may be busy or starting.');
    case 'loading':
      return t('A large model takes a while to load, especially if other models must be unloaded first.');
    case 'reading':
      if (activity.orPreparing !== undefined)
        return t('A tool call arrives only when it is complete. A long chat also takes a while to process.');
      return t(
        'A long chat takes a while to process. The server may also be busy with a request from another window or program.',
      );
    case 'preparing':
      if (activity.writing === undefined) return null;
      return t('A tool call arrives only when it is complete. The number is estimated from the previous speed of the model.');
    case 'summarising':
      return t(
        '{0} is writing the summary. If you stop, the finished parts are kept. If the model fails, a summary is created without it.',
        activity.model,
      );
    case 'behind':
      return t('{0} answers one message at a time. This message is sent after the previous answer finishes.', activity.model);
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

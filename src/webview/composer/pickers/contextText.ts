import type { ContextPartKind, ContextUse } from '../../../protocol/contextUse';
import { t } from '../../translate';
import { exactTokenCount, tokenCount } from '../../../types/format';
import { estimatedTokens } from '../../../types/tokenLength';

/** Minimum used share at which the context window counts as nearly full. */
const nearlyFull = 0.85;

export interface ContextRow {
  kind: ContextPartKind | 'room';
  label: string;
  tokens: number;
  /** Share of the context window, from 0 to 1. */
  share: number;
}

/** Formats the usage as `12.4k of 32k tokens`. */
export function contextSummary({ used, window, isMeasured }: ContextUse): string {
  return isMeasured
    ? t('{0} of {1} tokens', exactTokenCount(used), tokenCount(window))
    : t('about {0} of {1} tokens', exactTokenCount(used), tokenCount(window));
}

export function contextShare({ used, window }: ContextUse): number {
  return window > 0 ? Math.min(1, used / window) : 1;
}

export function isNearlyFull(use: ContextUse): boolean {
  return contextShare(use) >= nearlyFull;
}

/** Minimum size of a draft in tokens. Shorter drafts are not counted, so that the numbers do not change with each keystroke. */
const longDraft = 100;

/** Adds the text of a draft to the context usage. */
export function withDraftText(use: ContextUse, text: string): ContextUse {
  const tokens = estimatedTokens(text);
  if (tokens < longDraft) return use;
  const parts = use.parts.filter(({ kind }) => kind !== 'draft');
  const draft = sumTokens(use, ['draft']) + tokens;
  return { ...use, used: use.used + tokens, isMeasured: false, parts: [...parts, { kind: 'draft', tokens: draft }] };
}

/** Warns about a message that does not fit even into an empty chat, so that its middle would be omitted. Returns null if it fits. */
export function draftWarning(use: ContextUse): string | null {
  const { window } = use;
  const draft = sumTokens(use, ['draft']);
  const needed = draft + sumTokens(use, ['system', 'tools', 'instructions', 'memory']);
  if (draft === 0 || needed <= window - Math.min(256, window / 16)) return null;
  const about = tokenCount(needed);
  return t(
    'Your message needs about {0} of {1} tokens, so its middle will be left out. Remove attachments, or set a larger context window.',
    about,
    tokenCount(window),
  );
}

function sumTokens({ parts }: ContextUse, kinds: readonly ContextPartKind[]): number {
  return parts.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Returns true if the CPU runs a part of the model that the GPU could run. */
function isSpilt({ loaded }: ContextUse): boolean {
  return loaded !== null && loaded.gpuShare > 0 && loaded.gpuShare < 0.99;
}

/** Returns true if another context window size would help. */
export function wantsOtherWindow(use: ContextUse): boolean {
  return isNearlyFull(use) || isSpilt(use);
}

/** Returns the context window in tokens with which the whole model fits on the GPU. Returns null if unknown or not smaller. */
export function smallerWindow({ loaded, window }: ContextUse): number | null {
  const fitting = loaded?.fittingWindow ?? null;
  return fitting !== null && fitting < window ? fitting : null;
}

/** Lists what uses the context window, and the free part. */
export function contextRows({ parts, used, window }: ContextUse): ContextRow[] {
  const labels: Record<ContextPartKind, string> = {
    system: t('System prompt'),
    tools: t('Tools'),
    instructions: t('Instructions'),
    memory: t('Memory'),
    attachments: t('Attached'),
    history: t('Conversation'),
    toolResults: t('Tool results'),
    draft: t('Your message'),
  };
  const scale = Math.max(window, used);
  const rows: ContextRow[] = parts
    .filter(({ kind, tokens }) => tokens > 0 || kind === 'system' || kind === 'history')
    .map(({ kind, tokens }) => ({ kind, label: labels[kind], tokens, share: tokens / scale }));
  const room = Math.max(0, window - used);
  return [...rows, { kind: 'room', label: t('Available for the answer'), tokens: room, share: room / scale }];
}

/** Lists the instruction files sent to the model, and the skipped ones. */
export function instructionNotes({ instructions }: ContextUse): string[] {
  const used = instructions.filter(({ isLeftOut, problem }) => !isLeftOut && problem !== 'unreadable').map(({ shown }) => shown);
  const left = instructions.filter(({ isLeftOut }) => isLeftOut).map(({ shown }) => shown);
  const hidden = instructions.filter((file) => file.hidden > 0).map(({ shown }) => shown);
  const withProblem = (kind: NonNullable<(typeof instructions)[number]['problem']>) =>
    instructions.filter(({ problem }) => problem === kind).map(({ shown }) => shown);
  return [
    ...(used.length > 0 ? [t('Instructions: {0}', used.join(', '))] : []),
    ...(left.length > 0 ? [t('These instructions do not fit, so only their names are sent: {0}', left.join(', '))] : []),
    ...(withProblem('unreadable').length > 0
      ? [t('These skills are empty, too large or could not be read: {0}', withProblem('unreadable').join(', '))]
      : []),
    ...(withProblem('noDescription').length > 0
      ? [t('These skills have no description, so the model sees only their names: {0}', withProblem('noDescription').join(', '))]
      : []),
    ...(withProblem('frontMatter').length > 0
      ? [t('The front matter of these files could not be read in full: {0}', withProblem('frontMatter').join(', '))]
      : []),
    ...(hidden.length > 0 ? [t('Hidden characters were removed from: {0}', hidden.join(', '))] : []),
  ];
}

const changedTexts: Readonly<Record<NonNullable<ContextUse['changed']>, string>> = {
  system: 'The system prompt changed, so the server processed the whole last prompt again.',
  tools: 'The tools changed, so the server processed the last prompt again, starting at the tools.',
  instructions: 'The instructions changed, so the server processed the last prompt again, starting at the instructions.',
  memory: 'The saved memory changed, so the server processed the last prompt again, starting at the saved memory.',
  history: 'Earlier messages changed, so the server processed the last prompt again, starting at the first changed message.',
  cache:
    'The server processed most of the last prompt again, although its beginning did not change. Possible causes are another request to this model or the model’s prompt template. See the documentation about context.',
};

export function contextNotes(use: ContextUse): string[] {
  const notes = [
    use.isMeasured
      ? t('Total from the server. The breakdown is estimated.')
      : t('Estimated from the text. After the next answer, the count from the server is shown.'),
  ];
  const { loaded, window, reused, changed } = use;
  if (use.isPrepared === true) notes.push(t('Prepared: the start of the next request is in the cache.'));
  if (reused !== null) notes.push(t('{0}% of the last prompt came from the cache.', Math.round(reused * 100)));
  if (changed != null) notes.push(t(changedTexts[changed]));
  if (loaded !== null && loaded.window !== null && loaded.window !== window) {
    notes.push(t('The server loaded the model with a context window of {0} tokens, not {1}.', loaded.window, window));
  }
  if (loaded !== null && isSpilt(use)) {
    const share = Math.floor(loaded.gpuShare * 100);
    notes.push(t('Only {0}% of the model fits on the GPU. The rest is slow. A smaller context window needs less memory.', share));
  }
  if (loaded?.gpuShare === 0)
    notes.push(t('The model is running on the CPU only, which is slow. A smaller model or context window is faster.'));
  const unfit = draftWarning(use);
  if (unfit !== null) notes.push(unfit);
  else if (isNearlyFull(use)) notes.push(t('Almost full. Start a new chat, or set a larger context window in the settings.'));
  return notes;
}

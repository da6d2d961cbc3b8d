import type { ContextPartKind, ContextUse } from '../../../protocol/contextUse';
import { t } from '../../translate';
import { exactTokenCount, tokenCount } from '../../common/texts/format';

/** Share from which the window counts as nearly full. */
const nearlyFull = 0.85;

export interface ContextRow {
  kind: ContextPartKind | 'room';
  label: string;
  tokens: number;
  /** Share of the window, from 0 to 1. */
  share: number;
}

/** Formats the use as `12.4k of 32k tokens`. */
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

/** Tells whether the processor does a part of the work that the graphics card could do alone. */
function isSpilt({ loaded }: ContextUse): boolean {
  return loaded !== null && loaded.gpuShare > 0 && loaded.gpuShare < 0.99;
}

/** Tells whether another context window would help. */
export function wantsOtherWindow(use: ContextUse): boolean {
  return isNearlyFull(use) || isSpilt(use);
}

/** Returns the tokens of a window with which the whole model would be on the graphics card; null where none is known, or it is no smaller. */
export function smallerWindow({ loaded, window }: ContextUse): number | null {
  const fitting = loaded?.fittingWindow ?? null;
  return fitting !== null && fitting < window ? fitting : null;
}

/** Lists what fills the window, and the room that is left. */
export function contextRows({ parts, used, window }: ContextUse): ContextRow[] {
  const labels: Record<ContextPartKind, string> = {
    system: t('System prompt'),
    tools: t('Tools'),
    instructions: t('Instructions'),
    memory: t('Memory'),
    attachments: t('Attached'),
    history: t('Conversation'),
    toolResults: t('Tool results'),
  };
  const scale = Math.max(window, used);
  const rows: ContextRow[] = parts
    .filter(({ kind, tokens }) => tokens > 0 || kind === 'system' || kind === 'history')
    .map(({ kind, tokens }) => ({ kind, label: labels[kind], tokens, share: tokens / scale }));
  const room = Math.max(0, window - used);
  return [...rows, { kind: 'room', label: t('Room for the answer'), tokens: room, share: room / scale }];
}

/** Lists the instruction files that a model is given, and says which it is not. */
export function instructionNotes({ instructions }: ContextUse): string[] {
  const used = instructions.filter(({ isLeftOut }) => !isLeftOut).map(({ shown }) => shown);
  const left = instructions.filter(({ isLeftOut }) => isLeftOut).map(({ shown }) => shown);
  const hidden = instructions.filter((file) => file.hidden > 0).map(({ shown }) => shown);
  return [
    ...(used.length > 0 ? [t('Instructions: {0}', used.join(', '))] : []),
    ...(left.length > 0 ? [t('No room for these instructions, only their names are given: {0}', left.join(', '))] : []),
    ...(hidden.length > 0 ? [t('Hidden characters were removed from: {0}', hidden.join(', '))] : []),
  ];
}

const changedTexts: Readonly<Record<NonNullable<ContextUse['changed']>, string>> = {
  system: 'The system prompt changed, so the server read the last prompt again from there.',
  tools: 'The tools changed, so the server read the last prompt again from there.',
  instructions: 'The instructions changed, so the server read the last prompt again from there.',
  memory: 'The memory changed, so the server read the last prompt again from there.',
  history: 'Earlier messages changed, so the server read the last prompt again from there.',
};

/** Explains how far the numbers can be trusted, and what to know besides. */
export function contextNotes(use: ContextUse): string[] {
  const notes = [
    use.isMeasured
      ? t('The sum is as the server measured it; the parts are estimates.')
      : t('Estimated from the text. After an answer the server’s own count is shown.'),
  ];
  const { loaded, window, reused, changed } = use;
  if (reused !== null)
    notes.push(t('{0} % of the last prompt were in the server’s memory and not read anew.', Math.round(reused * 100)));
  if (changed != null) notes.push(t(changedTexts[changed]));
  if (loaded !== null && loaded.window !== null && loaded.window !== window) {
    notes.push(
      t('The server has loaded the model with {0} tokens, not {1}.', loaded.window.toLocaleString(), window.toLocaleString()),
    );
  }
  if (loaded !== null && isSpilt(use)) {
    const share = Math.floor(loaded.gpuShare * 100);
    notes.push(
      t(
        'Only {0} % of the model fits on the graphics card; the rest is slow. A smaller context window takes less memory.',
        share,
      ),
    );
  }
  if (loaded?.gpuShare === 0)
    notes.push(t('The model runs on the processor alone, which is slow. A smaller model or a smaller window takes less time.'));
  if (isNearlyFull(use)) notes.push(t('Nearly full. A new chat has the whole window; a larger one can be set in the settings.'));
  return notes;
}

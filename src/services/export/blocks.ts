import type { Attachment, Entry, EntryOf } from '../../protocol/entries';
import { splitIntoTurns } from '../../protocol/reducer/timelineReducer';
import { reduceTurn } from '../../protocol/reducer/timelineTurn';
import { noticeText } from '../../protocol/text/damagedEntry';
import { actionTitle, callSubject, formatRemark } from '../../protocol/text/toolTitle';
import type { ToolAction, Turn } from '../../protocol/timeline';
import { shownTitle } from '../../types/checkpointTitle';
import { t } from '../../utils/l10n';
import { leftOut, mapTexts } from './selection';

interface CodePart {
  text: string;
  language: string;
}

/** Block of an exported conversation. It is visible text, or collapsed text with a title. */
export type ExportBlock =
  | { kind: 'heading'; text: string; time: number }
  | { kind: 'prose'; text: string }
  | { kind: 'note'; text: string }
  | { kind: 'fold'; title: string; parts: CodePart[] };

/** Converts a conversation to blocks in order. Marks turns that a restore has undone. */
export function toBlocks(entries: readonly Entry[]): ExportBlock[] {
  return splitIntoTurns(entries, { isLive: false }).flatMap(({ list, options }) => {
    const turn = reduceTurn(list, options);
    const blocks = [...messageBlocks(turn), ...answerBlocks(turn, list)];
    if (options.undoneBy === null || blocks.length === 0) return blocks;
    const note: ExportBlock = { kind: 'note', text: t('Undone by a restore. Not part of the chat.') };
    return blocks.toSpliced(1, 0, note);
  });
}

function messageBlocks({ user }: Turn): ExportBlock[] {
  if (user === null) return [];
  return [
    { kind: 'heading', text: t('You'), time: user.timestamp },
    { kind: 'prose', text: user.text },
    ...user.attachments.map(attached),
  ];
}

/** Returns the answer under one heading, even if it begins with a tool call or has several texts. */
function answerBlocks({ model, blocks }: Turn, list: readonly Entry[]): ExportBlock[] {
  const asking = new Set(blocks.flatMap((block) => (block.kind === 'question' ? [block.callId] : [])));
  const actions = blocks.flatMap((block) => (block.kind === 'toolGroup' ? block.actions : []));
  const texts = new Map(blocks.flatMap((block) => (block.kind === 'text' ? [[block.seq, block.text] as const] : [])));
  const parts = list.flatMap((entry) => {
    // A question is exported in place of its call.
    const own = entry.type === 'tool_call' && asking.has(entry.data.callId) ? [] : blocksOfEntry(entry, { actions, texts });
    return own.length === 0 ? [] : [{ time: entry.timestamp, own }];
  });
  const [first] = parts;
  if (first === undefined) return [];
  const text = model === null ? t('Assistant') : `${t('Assistant')} · ${model}`;
  return [{ kind: 'heading', text, time: first.time }, ...parts.flatMap(({ own }) => own)];
}

/** Calls of a turn, and its texts by `seq`. A text includes its continuations. */
interface Reduced {
  actions: readonly ToolAction[];
  texts: ReadonlyMap<number, string>;
}

function blocksOfEntry(entry: Entry, { actions, texts }: Reduced): ExportBlock[] {
  switch (entry.type) {
    case 'assistant_output': {
      if (entry.data.isThinking === true) return [foldBlock(t('Thinking'), entry.content)];
      const text = texts.get(entry.seq) ?? '';
      return text === '' ? [] : [{ kind: 'prose', text }];
    }
    case 'thinking':
      return entry.content === '' ? [] : [foldBlock(t('Thinking'), entry.content)];
    case 'tool_call':
      return actions.filter(({ seq }) => seq === entry.seq).map(callBlock);
    case 'file_edit': {
      const { path, newPath, additions, deletions, diff } = entry.data;
      const name = newPath === undefined ? path : `${path} → ${newPath}`;
      return [foldBlock(`${name} +${additions} −${deletions}`, diff, 'diff')];
    }
    case 'question':
      return entry.content === '' ? [] : [{ kind: 'note', text: entry.content }];
    case 'approval':
      return entry.data.phase === 'decided' ? [{ kind: 'note', text: approvalText(entry.data, actions) }] : [];
    case 'review':
      return [{ kind: 'note', text: reviewText(entry.data) }];
    case 'restore':
      return [{ kind: 'note', text: t('Restored: {0}', shownTitle(entry.data.title ?? entry.data.paths.join(', '), t)) }];
    case 'compact_marker':
      return [foldBlock(t('Summary of earlier messages'), entry.data.summary)];
    case 'plan':
      return [{ kind: 'prose', text: entry.content }];
    case 'error':
    case 'system_message':
      return entry.content === '' ? [] : [{ kind: 'note', text: noticeText(entry.data.code, entry.content, t) }];
    default:
      return [];
  }
}

/** Returns a call with the title of its row. Omits the result of a skipped call, because it is an instruction for the model. */
function callBlock(action: ToolAction): ExportBlock {
  const { input, result, state } = action;
  const title = [actionTitle(action, t), formatRemark(action, t)].filter((part) => part !== null).join(' · ');
  const text = result?.display ?? (state === 'denied' ? null : (result?.content ?? null));
  const call = { text: JSON.stringify(mapTexts(input, shownText), null, 2), language: 'json' };
  return { kind: 'fold', title, parts: [call, ...(text === null ? [] : [{ text: shownText(text), language: '' }])] };
}

function approvalText({ callId, command, path, decision }: EntryOf<'approval'>['data'], actions: readonly ToolAction[]): string {
  const action = actions.find((call) => call.callId === callId);
  const subject = command ?? path ?? (action && callSubject(action, t));
  return `${t('Approval')}: ${[subject, decisionText(decision)].filter(Boolean).join(', ')}`;
}

function decisionText(decision: EntryOf<'approval'>['data']['decision']): string {
  if (decision === 'approved') return t('approved');
  if (decision === 'denied') return t('skipped');
  return decision === 'cancelled' ? t('cancelled') : '';
}

function reviewText({ action, paths }: EntryOf<'review'>['data']): string {
  const files = paths.join(', ');
  switch (action) {
    case 'keep':
      return t('Kept {0}', files);
    case 'undo':
      return t('Undid changes to {0}', files);
    case 'revert':
      return t('Changes to {0} are pending again', files);
    case 'approve':
      return paths.length === 0 ? t('Approved the session') : t('Approved {0}', files);
  }
}

/** Returns an attachment. Of a file that was only open, only the path was sent. */
function attached({ kind, path, startLine, endLine, content }: Attachment): ExportBlock {
  if (kind === 'editor') return { kind: 'note', text: `${t('Open file')}: ${path}` };
  const lines = startLine === undefined ? '' : `:${startLine}–${endLine ?? startLine}`;
  const title = `${t('Attached')}: ${path}${lines}`;
  return content === undefined ? { kind: 'note', text: title } : foldBlock(title, content);
}

function foldBlock(title: string, text: string, language = ''): ExportBlock {
  return { kind: 'fold', title, parts: [{ text: shownText(text), language }] };
}

function shownText(text: string): string {
  return text === leftOut ? t('[left out]') : text;
}

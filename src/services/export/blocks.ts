import type { Attachment, Entry, EntryOf } from '../../protocol/entries';
import { messageTime } from '../../protocol/reducer/messageTime';
import { turnsOf } from '../../protocol/reducer/timelineReducer';
import { shownTitle } from '../../types/checkpointTitle';
import { t } from '../../utils/l10n';

/** Block of an exported conversation. It is visible text, or collapsed text with a title. */
export type ExportBlock =
  | { kind: 'heading'; text: string; time: number }
  | { kind: 'prose'; text: string }
  | { kind: 'note'; text: string }
  | { kind: 'fold'; title: string; text: string; language: string };

/** Converts a conversation to blocks in order. Marks turns that a restore has undone. */
export function blocksOf(entries: readonly Entry[]): ExportBlock[] {
  return turnsOf(entries, { isLive: false }).flatMap(({ list, options }) => {
    const blocks = list.flatMap(blocksOfEntry);
    if (options.undoneBy === null || blocks.length === 0) return blocks;
    const note: ExportBlock = { kind: 'note', text: t('Undone by a restore. Not part of the chat.') };
    return blocks.toSpliced(blocks[0]?.kind === 'heading' ? 1 : 0, 0, note);
  });
}

function blocksOfEntry(entry: Entry): ExportBlock[] {
  switch (entry.type) {
    case 'user_input':
      return [
        { kind: 'heading', text: t('You'), time: messageTime(entry) },
        { kind: 'prose', text: entry.content },
        ...entry.data.attachments.map(attached),
      ];
    case 'assistant_output': {
      if (entry.data.isThinking === true) return [foldBlock(t('Thinking'), entry.content)];
      const name = entry.model === null ? t('Assistant') : `${t('Assistant')} · ${entry.model}`;
      return entry.content === ''
        ? []
        : [
            { kind: 'heading', text: name, time: entry.timestamp },
            { kind: 'prose', text: entry.content },
          ];
    }
    case 'thinking':
      return entry.content === '' ? [] : [foldBlock(t('Thinking'), entry.content)];
    case 'tool_call':
      return [
        foldBlock(`${entry.data.name} ${entry.data.label ?? ''}`.trim(), JSON.stringify(entry.data.input, null, 2), 'json'),
      ];
    case 'tool_result': {
      const summary = entry.data.summary === undefined ? '' : ` · ${entry.data.summary}`;
      return [foldBlock(`${entry.data.name}: ${statusText(entry.data.status)}${summary}`, entry.data.display ?? entry.content)];
    }
    case 'file_edit': {
      const { path, newPath, additions, deletions, diff } = entry.data;
      const name = newPath === undefined ? path : `${path} → ${newPath}`;
      return [foldBlock(`${name} +${additions} −${deletions}`, diff, 'diff')];
    }
    case 'question':
      return entry.content === '' ? [] : [{ kind: 'note', text: entry.content }];
    case 'approval':
      return entry.data.phase === 'decided'
        ? [
            {
              kind: 'note',
              text: `${t('Approval')}: ${entry.data.command ?? entry.data.path ?? entry.data.kind}, ${decisionText(entry.data.decision)}`,
            },
          ]
        : [];
    case 'review':
      return [{ kind: 'note', text: reviewText(entry.data) }];
    case 'restore':
      return [{ kind: 'note', text: t('Restored: {0}', shownTitle(entry.data.title ?? entry.data.targetCheckpointId, t)) }];
    case 'compact_marker':
      return [foldBlock(t('Summary of earlier messages'), entry.data.summary)];
    case 'plan':
      return [{ kind: 'prose', text: entry.content }, foldBlock(t('Plan'), JSON.stringify(entry.data, null, 2), 'json')];
    case 'error':
    case 'system_message':
      return entry.content === '' ? [] : [{ kind: 'note', text: entry.content }];
    default:
      return [];
  }
}

function statusText(status: EntryOf<'tool_result'>['data']['status']): string {
  switch (status) {
    case 'success':
      return t('done');
    case 'error':
      return t('failed');
    case 'cancelled':
      return t('cancelled');
    case 'denied':
      return t('skipped');
  }
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

function attached({ path, startLine, endLine, content }: Attachment): ExportBlock {
  const lines = startLine === undefined ? '' : `:${startLine}–${endLine ?? startLine}`;
  return foldBlock(`${t('Attached')}: ${path}${lines}`, content ?? '');
}

function foldBlock(title: string, text: string, language = ''): ExportBlock {
  return { kind: 'fold', title, text, language };
}

import { continuedCode, joinContinued } from '../continuation';
import type { Entry, EntryOf } from '../entries';
import { readFacts } from '../legacyTools';
import { isSteered } from '../steering';
import type { Block, ToolAction, ToolState } from '../timeline';
import { TimelineCalls } from './timelineCalls';
import type { TurnOptions } from './turnOptions';

type TextBlock = Extract<Block, { kind: 'text' }>;

export function reduceBlocks(
  entries: readonly Entry[],
  { isLive, settledThrough, undoneReviews, undoneCalls }: Omit<TurnOptions, 'undoneBy' | 'replaced'>,
): Block[] {
  const blocks: Block[] = [];
  const calls = new TimelineCalls();
  /** True if the next answer continues the text above it. */
  let continues = false;
  /** `seq` of the last unsuccessful end of a run. */
  let failedAt = 0;

  for (const entry of entries) {
    switch (entry.type) {
      case 'thinking':
        blocks.push(toThought(entry, entry.isOpen && isLive));
        break;
      case 'assistant_output':
        if (entry.data.isThinking === true) blocks.push(toThought(entry, false));
        else {
          addText(blocks, toTextBlock(entry, isLive), continues);
          continues = false;
        }
        break;
      case 'tool_call':
        addToGroup(blocks, calls.begin(entry));
        break;
      case 'tool_result':
        calls.end(entry);
        break;
      case 'file_edit':
        calls.addEdit(entry);
        break;
      case 'subagent_step':
        calls.addStep(entry);
        break;
      case 'approval':
        addRequest(blocks, calls.addApproval(entry));
        break;
      case 'question':
        addRequest(blocks, calls.addQuestion(entry));
        break;
      case 'checkpoint':
        if (entry.data.command !== undefined) calls.addChanges(entry.data.command);
        break;
      case 'system_message':
        if (entry.data.code === continuedCode) {
          // Open requests of the previous run can no longer be answered, even if a new run is active.
          calls.settleAbandoned(entry.seq);
          for (const block of blocks) if (block.kind === 'thinking') block.isOpen = false;
          removeEndNotices(blocks);
          continues = true;
        } else if (!isSteered(entry))
          blocks.push({ kind: 'notice', seq: entry.seq, level: entry.data.level, code: entry.data.code, text: entry.content });
        break;
      case 'error':
        blocks.push(toErrorBlock(entry));
        break;
      case 'review':
        addReview(blocks, entry, undoneReviews.find(({ seq }) => seq === entry.seq)?.paths);
        break;
      case 'restore':
        addRestore(blocks, entry);
        break;
      case 'plan': {
        const { planId, items } = entry.data;
        blocks.push({ kind: 'plan', seq: entry.seq, planId, steps: items.map(({ text }) => text) });
        break;
      }
      case 'run_end':
        if (entry.data.outcome === 'done') removeErrors(blocks, failedAt);
        else failedAt = entry.seq;
        break;
      case 'compact_marker':
        blocks.push({ kind: 'notice', seq: entry.seq, level: 'info', code: 'compacted', text: entry.data.summary });
        break;
      default:
        break;
    }
  }

  calls.markUndone(undoneCalls);
  calls.settleAbandoned(isLive ? settledThrough : Infinity);
  calls.markQueued();
  for (const block of blocks) if (block.kind === 'toolGroup') block.state = groupState(block.actions);
  return blocks;
}

function toThought({ seq, content, data }: EntryOf<'thinking' | 'assistant_output'>, isOpen: boolean): Block {
  return { kind: 'thinking', seq, text: content, isOpen, durationMs: data.durationMs ?? null };
}

function toTextBlock(entry: EntryOf<'assistant_output'>, isLive: boolean): TextBlock {
  return {
    kind: 'text',
    seq: entry.seq,
    text: entry.content,
    isOpen: entry.isOpen && isLive,
    end: entry.data.end ?? (isLive ? null : 'incomplete'),
  };
}

function addText(blocks: Block[], block: TextBlock, continues: boolean): void {
  const last = blocks.at(-1);
  if (continues && last?.kind === 'text')
    Object.assign(last, block, { seq: last.seq, text: joinContinued(last.text, block.text) });
  else blocks.push(block);
}

function addToGroup(blocks: Block[], action: ToolAction): void {
  const { family } = readFacts(action);
  const last = blocks[blocks.length - 1];
  if (last?.kind === 'toolGroup' && last.family === family && family !== 'command') last.actions.push(action);
  else blocks.push({ kind: 'toolGroup', seq: action.seq, family, actions: [action], state: 'running' });
}

function groupState(actions: readonly ToolAction[]): ToolState {
  const order: ToolState[] = ['waiting for approval', 'running', 'queued', 'failed', 'denied', 'cancelled'];
  return order.find((state) => actions.some((action) => action.state === state)) ?? 'done';
}

function addRequest(blocks: Block[], asked: Block | null): void {
  if (asked !== null) blocks.push(asked);
}

/** Removes the notices about the end of the run if the next run continues it. */
function removeEndNotices(blocks: Block[]): void {
  for (let last = blocks.at(-1); last?.kind === 'notice' || last?.kind === 'error'; last = blocks.at(-1)) blocks.pop();
}

/** Removes the errors of runs that ended before `seq`, because a later run succeeded. */
function removeErrors(blocks: Block[], seq: number): void {
  const left = blocks.filter((block) => block.kind !== 'error' || block.seq > seq);
  blocks.splice(0, blocks.length, ...left);
}

function toErrorBlock({ seq, content, data }: EntryOf<'error'>): Block {
  const { code, detail = null, actions, model = null } = data;
  return { kind: 'error', seq, code, text: content, detail, actions, model };
}

/**
 * Adds a review, unless it undoes a review of the same turn. `reverted` lists the paths for
 * which the review was undone. If only some were undone, the block lists the other paths.
 */
function addReview(blocks: Block[], { seq, data }: EntryOf<'review'>, reverted: readonly string[] | undefined): void {
  if (blocks.some((block) => block.kind === 'review' && block.seq === data.targetSeq)) return;
  const left = data.paths.filter((path) => reverted?.includes(path) !== true);
  const isTakenBack = reverted !== undefined && left.length === 0;
  const isPart = left.length > 0 && left.length < data.paths.length;
  blocks.push({
    kind: 'review',
    seq,
    action: data.action,
    paths: isPart ? left : data.paths,
    changes: isPart ? null : data.hunks?.length || null,
    message: data.message ?? null,
    isTakenBack,
  });
}

/** Adds a restore. If it undoes a restore of the same turn, marks the files of that restore as undone. */
function addRestore(blocks: Block[], { seq, data }: EntryOf<'restore'>): void {
  const { operationId = null, undoes = null, title = '', paths, deleted = [], left = [], isReset = false } = data;
  const { uncovered = null, isWhole = false, fromSeq, undoneCall } = data;
  const undone = blocks.find((block) => block.kind === 'restore' && block.operationId !== null && block.operationId === undoes);
  if (undone?.kind === 'restore') {
    undone.undonePaths = undone.paths.filter((path) => isWhole || undone.undonePaths.includes(path) || paths.includes(path));
    undone.isUndone = undone.undonePaths.length === undone.paths.length;
  }
  const whole = { ...(fromSeq && { fromSeq }), ...(undoneCall !== undefined && { undoneCall }) };
  const note = { seq, operationId, undoes, title, paths, deleted, left, uncovered, isReset, ...whole };
  blocks.push({ kind: 'restore', ...note, undonePaths: [], isUndone: false });
}

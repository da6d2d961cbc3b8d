import type { Block, Timeline } from '../../../../src/protocol/timeline';

/** Formats a timeline as lines with everything that the user can read. */
export function outline(timeline: Timeline): string[] {
  return timeline.turns.flatMap((turn) => [
    `you: ${turn.user?.text ?? '(empty)'}`,
    ...turn.blocks.flatMap(linesOf),
    `= ${turn.outcome}`,
  ]);
}

function linesOf(block: Block): string[] {
  switch (block.kind) {
    case 'thinking':
      return [`thinking${block.isOpen ? '…' : ''}: ${block.text}`];
    case 'text':
      return [`text (${block.end ?? 'open'}): ${block.text}`];
    case 'toolGroup':
      return block.actions.flatMap((action) => [
        `${action.name} ${action.label ?? JSON.stringify(action.input)} [${action.state}] ${action.result?.summary ?? ''}`.trimEnd(),
        ...action.edits.map((edit) => `  ${edit.operation} ${edit.path} +${edit.additions} -${edit.deletions}`),
      ]);
    case 'approval':
      return [
        `approve ${block.approvalKind} ${block.command ?? block.path ?? ''} [${block.state}] ${block.severity ?? ''}`.trimEnd(),
      ];
    case 'question':
      return [`question ${block.text} {${block.options.join(', ')}} [${block.state}] ${block.answer ?? ''}`.trimEnd()];
    case 'notice':
      return [`notice ${block.code}: ${block.text}`];
    case 'review':
      return [`review ${block.action} ${block.paths.join(', ')}${block.isTakenBack ? ' (taken back)' : ''}`];
    case 'restore':
      return [`${block.undoes === null ? 'restored' : 'undid'} ${block.paths.join(', ')}${block.isUndone ? ' (undone)' : ''}`];
    case 'plan':
      return [`plan: ${block.steps.join(' | ')}`];
    case 'error':
      return [`error ${block.code} {${block.actions.join(', ')}}: ${block.text}`];
  }
}

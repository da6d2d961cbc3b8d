import { computed, shallowRef, watch, type Ref } from 'vue';
import type { ApprovalRequest, Question, Timeline } from '../../protocol/timeline';
import type { RunState } from '../../protocol/webviewEvents';
import { t } from '../translate';
import { isSevere } from './tools/severityText';

/** Returns the first pending approval of the last turn, if any. */
export function waitingApproval(timeline: Timeline): ApprovalRequest | null {
  const blocks = timeline.turns[timeline.turns.length - 1]?.blocks ?? [];
  return blocks.find((block): block is ApprovalRequest => block.kind === 'approval' && block.state === 'waiting') ?? null;
}

function waitingQuestion(timeline: Timeline): Question | null {
  const blocks = timeline.turns[timeline.turns.length - 1]?.blocks ?? [];
  return blocks.find((block): block is Question => block.kind === 'question' && block.state === 'waiting') ?? null;
}

/** Announces events to screen readers that the messages do not contain. Does not announce counters. */
export function useAnnouncements(timeline: Ref<Timeline>, run: Ref<RunState | null>) {
  const lastTurn = computed(() => timeline.value.turns.at(-1));
  /** `seq` of the last turn that was running. Only the end of this turn is announced. */
  const begun = shallowRef<number | null>(null);
  watch(
    () => lastTurn.value?.outcome === 'running' && lastTurn.value.seq,
    (seq) => {
      if (typeof seq === 'number') begun.value = seq;
    },
    { immediate: true },
  );
  return computed(() => {
    const approval = waitingApproval(timeline.value);
    if (approval?.projects)
      return t(
        'Approval needed to read chats from other projects: {0}. Press Control+Enter to allow.',
        approval.projects.join(', '),
      );
    if (approval?.approvalKind === 'read')
      return t('Approve reading: {0}. Press Control+Enter to allow it.', approval.path ?? '');
    if (approval?.approvalKind === 'edit' && isSevere(approval.severity))
      return t('Approve edit: {0}. High risk.', approval.path ?? '');
    if (approval?.approvalKind === 'edit') return t('Approve edit: {0}. Press Control+Enter to apply it.', approval.path ?? '');
    if (approval?.approvalKind === 'tool') return t('Approve tool: {0}. Press Control+Enter to run it.', approval.command ?? '');
    if (approval?.sandbox) return t('The sandbox blocked a command: {0}. Choose what to do.', approval.command ?? '');
    if (approval?.severity === 'critical') return t('Approve command: {0}. Critical risk.', approval.command ?? '');
    if (approval?.severity === 'high') return t('Approve command: {0}. High risk.', approval.command ?? '');
    if (approval !== null) return t('Approve command: {0}. Press Control+Enter to run it.', approval.command ?? '');
    const question = waitingQuestion(timeline.value);
    if (question !== null) return t('The agent asks: {0}', question.text);
    const activity = run.value?.activity ?? null;
    switch (activity?.kind) {
      case 'loading':
        return t('Loading {0} into memory…', activity.model);
      case 'reading':
        return activity.orPreparing === undefined
          ? t('Processing the chat…')
          : t('Processing the chat, or preparing a tool call…');
      case 'preparing':
        return activity.writing === undefined ? '' : t('Waiting for the model…');
      case 'retrying':
        return t('Retrying: {0}', activity.reason);
      case 'silent':
        return t('No response for a while. You can safely stop and retry.');
      case 'summarising':
        return t('Summarizing earlier messages…');
      case 'behind':
      case 'queued':
        return t('Waiting for another answer to finish');
      default:
        return lastTurn.value?.outcome === 'done' && lastTurn.value.seq === begun.value ? t('The answer is complete.') : '';
    }
  });
}

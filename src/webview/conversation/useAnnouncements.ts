import { computed, shallowRef, watch, type Ref } from 'vue';
import type { ApprovalRequest, Question, Timeline } from '../../protocol/timeline';
import type { RunState } from '../../protocol/webviewEvents';
import { t } from '../translate';

/** Returns the approval that waits for a person, if one does: the first of the last turn. */
export function waitingApproval(timeline: Timeline): ApprovalRequest | null {
  const blocks = timeline.turns[timeline.turns.length - 1]?.blocks ?? [];
  return blocks.find((block): block is ApprovalRequest => block.kind === 'approval' && block.state === 'waiting') ?? null;
}

function waitingQuestion(timeline: Timeline): Question | null {
  const blocks = timeline.turns[timeline.turns.length - 1]?.blocks ?? [];
  return blocks.find((block): block is Question => block.kind === 'question' && block.state === 'waiting') ?? null;
}

/** Tells a screen reader what it needs besides the messages: little, and nothing that ticks. */
export function useAnnouncements(timeline: Ref<Timeline>, run: Ref<RunState | null>) {
  const lastTurn = computed(() => timeline.value.turns.at(-1));
  /** `seq` of the last turn that was seen at work: only of that one its end is news. */
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
      return t('Approve reading chats of other projects: {0}. Control Enter allows it.', approval.projects.join(', '));
    if (approval?.approvalKind === 'read') return t('Approve reading: {0}. Control Enter allows it.', approval.path ?? '');
    if (approval?.approvalKind === 'edit') return t('Approve edit: {0}. Control Enter applies it.', approval.path ?? '');
    if (approval?.approvalKind === 'tool') return t('Approve tool: {0}. Control Enter runs it.', approval.command ?? '');
    if (approval?.severity === 'critical') return t('Approve command: {0}. Critical risk.', approval.command ?? '');
    if (approval !== null) return t('Approve command: {0}. Control Enter runs it.', approval.command ?? '');
    const question = waitingQuestion(timeline.value);
    if (question !== null) return t('The agent asks: {0}', question.text);
    const activity = run.value?.activity ?? null;
    switch (activity?.kind) {
      case 'loading':
        return t('Loading {0} into memory…', activity.model);
      case 'reading':
        return activity.orPreparing === undefined
          ? t('Reading the conversation…')
          : t('Reading the conversation, or preparing a call…');
      case 'preparing':
        return activity.writing === undefined ? '' : t('Writing a call…');
      case 'retrying':
        return t('Trying again: {0}', activity.reason);
      case 'silent':
        return t('Nothing has come for a while. Stop and Retry are safe.');
      case 'summarising':
        return t('Summarising what is old, to make room…');
      case 'behind':
      case 'queued':
        return t('Waiting for another answer to end');
      default:
        return lastTurn.value?.outcome === 'done' && lastTurn.value.seq === begun.value ? t('The answer is complete.') : '';
    }
  });
}

import { computed, ref, shallowRef } from 'vue';
import type { CheckpointStorage } from '../../../protocol/checkpointStorage';
import type { HostResult } from '../../../protocol/hostApi';
import { t } from '../../translate';
import { fileSize } from '../../common/texts/format';
import type { OpenedChat, StoredAction, StoredOutcome } from '../../types';
import type { Host } from '../../common/useHost';

/** Reads what checkpoints have stored, and runs a person's actions on it, one at a time. */
export function useStored(host: Host) {
  const storage = shallowRef<CheckpointStorage | null>(null);
  const isFailed = ref(false);
  const opened = shallowRef<OpenedChat | null>(null);
  const busy = ref<Act['kind'] | null>(null);
  const outcome = shallowRef<StoredOutcome | null>(null);

  async function read(): Promise<void> {
    isFailed.value = false;
    try {
      storage.value = await host.api.readCheckpointStorage({});
    } catch (error) {
      host.report(error);
      isFailed.value = true;
    }
  }

  /** Reads what is stored again if it is shown, as it may have changed. */
  function refresh(): void {
    if (storage.value === null && !isFailed.value) return;
    opened.value = null;
    outcome.value = null;
    void read();
  }

  async function open(sessionId: string | null): Promise<void> {
    if (sessionId === null) {
      opened.value = null;
      return;
    }
    if (opened.value?.sessionId !== sessionId) opened.value = { sessionId, stored: null };
    try {
      const stored = await host.api.listStoredCheckpoints({ sessionId });
      if (opened.value?.sessionId === sessionId) opened.value = { sessionId, stored };
    } catch (error) {
      host.report(error);
      if (opened.value?.sessionId === sessionId) opened.value = null;
      outcome.value = failed(error);
    }
  }

  async function act(action: StoredAction): Promise<void> {
    if (action.kind === 'open') return open(action.sessionId);
    if (busy.value !== null) return;
    outcome.value = null;
    if (action.kind === 'read') return read();
    busy.value = action.kind;
    try {
      outcome.value = await perform(action);
    } catch (error) {
      host.report(error);
      outcome.value = failed(error);
    } finally {
      busy.value = null;
    }
    if (action.kind !== 'verify' && action.kind !== 'heal') await Promise.all([read(), open(opened.value?.sessionId ?? null)]);
  }

  async function perform(action: Act): Promise<StoredOutcome | null> {
    if (action.kind === 'verify') {
      const found = await host.api.verifyStorage({});
      return found && verified(found);
    }
    if (action.kind === 'heal') {
      const { healed, left } = await host.api.healStorage({});
      if (left === 0) return good(t('What was damaged is stored anew: {0} file contents.', healed.toLocaleString()));
      const text = t('{0} file contents are stored anew. {1} are in no file of yours and cannot be brought back.', healed, left);
      return { ...good(text), isGood: false };
    }
    if (action.kind === 'collect') {
      const { bytes } = await host.api.collectGarbage({});
      return good(bytes === 0 ? t('There is nothing to collect.') : t('{0} are free again.', fileSize(bytes)));
    }
    if (action.kind === 'removeOld') {
      const { removed, originals, bytes } = await host.api.removeOldCheckpoints({ days: action.days });
      if (removed === 0 && originals === 0) return good(t('No checkpoint that may go is that old.'));
      return removed === null ? null : good(removedText(removed, bytes));
    }
    if (action.kind === 'remove') {
      const { removed, bytes } = await host.api.removeCheckpoint({ id: action.id });
      return removed === null ? null : good(removedText(removed, bytes));
    }
    const { removed, bytes, isEnough } = await host.api.makeRoom({});
    if (removed === null) return null;
    const text = removedText(removed, bytes);
    return isEnough
      ? good(text)
      : { ...good(`${text} ${t('It is still more than you allow: nothing else may go without you.')}`), isGood: false };
  }

  const view = computed(() => ({
    storage: storage.value,
    isFailed: isFailed.value,
    opened: opened.value,
    busy: busy.value,
    outcome: outcome.value,
  }));
  return { view, act, refresh };
}

/** Actions that run one at a time. */
type Act = Exclude<StoredAction, { kind: 'read' | 'open' }>;

const failed = (error: unknown): StoredOutcome => {
  return { isGood: false, text: error instanceof Error ? error.message : String(error), files: [], moreFiles: 0 };
};
const good = (text: string): StoredOutcome => ({ isGood: true, text, files: [], moreFiles: 0 });

function removedText(removed: number, bytes: number): string {
  if (removed === 0) return t('{0} are free again.', fileSize(bytes));
  return removed === 1
    ? t('1 checkpoint deleted; {0} are free again.', fileSize(bytes))
    : t('{0} checkpoints deleted; {1} are free again.', removed, fileSize(bytes));
}

function verified({ objects, damaged, hasFlaws, files, moreFiles }: VerifiedStorage): StoredOutcome {
  if (damaged === 0 && !hasFlaws) return good(t('Everything is as it was stored: {0} file contents.', objects.toLocaleString()));
  const text =
    damaged === 0
      ? t('The storage is damaged, but every file content can be read. The log has the details.')
      : damaged === 1
        ? t('1 file content is damaged or missing. The log has the details.')
        : t('{0} file contents are damaged or missing. The log has the details.', damaged);
  return { isGood: false, text, files, moreFiles, canHeal: true };
}

type VerifiedStorage = NonNullable<HostResult<'verifyStorage'>>;

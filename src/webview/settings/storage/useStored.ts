import { computed, ref, shallowRef } from 'vue';
import type { CheckpointStorage } from '../../../protocol/checkpointStorage';
import type { HostResult } from '../../../protocol/hostApi';
import { t } from '../../translate';
import { fileSize } from '../../../types/format';
import type { OpenedChat, StoredAction, StoredOutcome } from '../../types';
import type { Host } from '../../common/useHost';

/** Reads stored checkpoints and runs actions on them, one at a time. */
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

  /** Reloads the data if it is shown. */
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
      if (left === 0) return good(t('Repaired {0} file contents.', healed));
      const text = t('Repaired {0} file contents. {1} are in no workspace file and cannot be repaired.', healed, left);
      return { ...good(text), isGood: false };
    }
    if (action.kind === 'collect') {
      const { bytes } = await host.api.collectGarbage({});
      return good(bytes === 0 ? t('There is nothing to clean up.') : t('Freed {0}.', fileSize(bytes)));
    }
    if (action.kind === 'removeOld') {
      const { removed, originals, bytes } = await host.api.removeOldCheckpoints({ days: action.days });
      if (removed === 0 && originals === 0) return good(t('No checkpoint of that age can be deleted.'));
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
      : {
          ...good(`${text} ${t('Checkpoints still exceed the limit. Nothing else can be deleted automatically.')}`),
          isGood: false,
        };
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

type Act = Exclude<StoredAction, { kind: 'read' | 'open' }>;

const failed = (error: unknown): StoredOutcome => {
  return { isGood: false, text: error instanceof Error ? error.message : String(error), files: [], moreFiles: 0 };
};
const good = (text: string): StoredOutcome => ({ isGood: true, text, files: [], moreFiles: 0 });

function removedText(removed: number, bytes: number): string {
  if (removed === 0) return t('Freed {0}.', fileSize(bytes));
  return removed === 1
    ? t('Deleted 1 checkpoint and freed {0}.', fileSize(bytes))
    : t('Deleted {0} checkpoints and freed {1}.', removed, fileSize(bytes));
}

function verified({ objects, damaged, hasFlaws, files, moreFiles }: VerifiedStorage): StoredOutcome {
  if (damaged === 0 && !hasFlaws) return good(t('No problems found in {0} file contents.', objects));
  const text =
    damaged === 0
      ? t('The storage is damaged, but the contents of all files can be read. See the log for details.')
      : damaged === 1
        ? t('1 file content is damaged or missing. See the log for details.')
        : t('{0} file versions are damaged or missing. See the log for details.', damaged);
  return { isGood: false, text, files, moreFiles, canHeal: true };
}

type VerifiedStorage = NonNullable<HostResult<'verifyStorage'>>;

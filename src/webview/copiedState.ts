import { asRecord, type StateStore } from './hostConnection';

/** Minimum milliseconds between two copies. */
const pause = 200;

/**
 * Wraps the store so that its state is also copied to the extension. The editor rarely saves the state of a view. Without
 * the copy, a crash or a browser reload would lose the end of a draft. If `copy` is newer, it replaces the state.
 */
export function copiedState(store: StateStore, copy: string | undefined, send: (state: string) => void): StateStore {
  const copied = parsed(copy);
  if (savedAt(copied) > savedAt(store.read())) store.write(copied);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sent = '';
  const flush = () => {
    timer = undefined;
    const content = serializeState(store.read());
    // The same state is written many times while an answer streams.
    if (content === sent) return;
    sent = content;
    send(JSON.stringify(store.read()));
  };
  return {
    read: () => store.read(),
    write: (state) => {
      store.write({ ...asRecord(state), savedAt: Date.now() });
      timer ??= setTimeout(flush, pause);
    },
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Returns the state as JSON without its time. */
function serializeState(state: unknown): string {
  return JSON.stringify({ ...asRecord(state), savedAt: undefined });
}

function savedAt(state: unknown): number {
  const { savedAt: time } = asRecord(state);
  return typeof time === 'number' ? time : 0;
}

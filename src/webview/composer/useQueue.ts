import type { Ref } from 'vue';
import type { AttachmentRef } from '../../protocol/entries';
import type { HostResult } from '../../protocol/hostApi';
import type { QueuedMessage } from '../../protocol/webviewEvents';
import type { Host } from '../common/useHost';
import { useSessionResource } from '../common/useSessionResource';

type Mode = HostResult<'ready'>['mode'];

/** Follows the messages that wait for the run of the shown session to end; the extension keeps them. */
export function useQueue(host: Host, sessionId: Ref<string | null>) {
  const { value: messages, refresh } = useSessionResource<readonly QueuedMessage[], 'queue'>(host, sessionId, {
    empty: [],
    read: async (id) => (await host.api.listQueued({ sessionId: id })).messages,
    event: 'queue',
    fromEvent: (event) => event.messages,
  });

  /** Queues a message. Resolves with whether it waits now; false leaves it to the person to try again. */
  async function add(text: string, mode: Mode, model: string | null, attachments: readonly AttachmentRef[]): Promise<boolean> {
    if (sessionId.value === null) return false;
    const message = {
      sessionId: sessionId.value,
      text,
      mode,
      model,
      ...(attachments.length > 0 && { attachments: [...attachments] }),
    };
    return (await host.attempt(host.api.enqueue(message))) !== undefined;
  }

  /** Removes a message; false when it was sent before it could be taken out, or could not be. */
  async function remove(id: string): Promise<boolean> {
    if (sessionId.value === null) return false;
    return (await host.attempt(host.api.removeQueued({ sessionId: sessionId.value, id })))?.isGone === false;
  }

  async function sendNow(id: string): Promise<void> {
    if (sessionId.value !== null) await host.attempt(host.api.sendQueued({ sessionId: sessionId.value, id }));
  }

  host.on('runState', ({ sessionId: id, state }) => {
    // Another window tells nothing of what it sends.
    if (id === sessionId.value && state === 'idle' && messages.value.length > 0) void refresh();
  });

  return { messages, add, remove, sendNow };
}

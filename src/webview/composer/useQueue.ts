import type { Ref } from 'vue';
import type { AttachmentRef } from '../../protocol/entries';
import type { HostResult } from '../../protocol/hostApi';
import type { QueuedMessageItem } from '../../protocol/requests/messageRequests';
import type { Host } from '../common/useHost';
import { useSessionResource } from '../common/useSessionResource';

type Mode = HostResult<'ready'>['mode'];

/** Tracks the queued messages of the shown session. The extension stores the queue. */
export function useQueue(host: Host, sessionId: Ref<string | null>) {
  const { value: messages, refresh } = useSessionResource<readonly QueuedMessageItem[], 'queue'>(host, sessionId, {
    empty: [],
    read: async (id) => (await host.api.listQueued({ sessionId: id })).messages,
    event: 'queue',
    fromEvent: (event) => event.messages,
  });

  /** Queues a message. Resolves to false if that failed. The user can then retry. */
  async function add(text: string, mode: Mode, model: string | null, attachments: readonly AttachmentRef[]): Promise<boolean> {
    if (sessionId.value === null) return false;
    host.problem.value = null;
    const message = {
      sessionId: sessionId.value,
      text,
      mode,
      model,
      ...(attachments.length > 0 && { attachments: [...attachments] }),
    };
    return (await host.attempt(host.api.enqueue(message))) !== undefined;
  }

  /** Removes a message. Resolves to false if the message was already sent or the request failed. */
  async function remove(id: string): Promise<boolean> {
    if (sessionId.value === null) return false;
    return (await host.attempt(host.api.removeQueued({ sessionId: sessionId.value, id })))?.isGone === false;
  }

  async function sendNow(id: string): Promise<void> {
    if (sessionId.value === null) return;
    host.problem.value = null;
    await host.attempt(host.api.sendQueued({ sessionId: sessionId.value, id }));
  }

  host.on('runState', ({ sessionId: id, state }) => {
    // If another window sends the messages, it does not report each one.
    if (id === sessionId.value && state === 'idle' && messages.value.length > 0) void refresh();
  });

  return { messages, add, remove, sendNow };
}

import type { Attachment, AttachmentRef, Entry } from '../../protocol/entries';
import type { ModelInfo } from '../../types/model';
import type { ChatMode } from '../../types/modes';
import type { ChatRequest } from '../../types/ollama';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { agentNameOf } from './chosenAgent';
import type { RequestBuilder } from './requestBuilder';

/** Chat that a person has opened, as its next message would be sent. */
export interface OpenedChat {
  /** null for a chat that has not begun. */
  sessionId: string | null;
  mode: ChatMode;
  model: string;
  entries: readonly Entry[];
  /** Attachments of the draft, in the order in which they are sent. */
  attachments?: readonly AttachmentRef[];
}

export interface NextRequestSources {
  requests: Pick<RequestBuilder, 'build'>;
  /** Returns the tools of the next request. */
  toolsFor: (chat: OpenedChat, model: ModelInfo) => Promise<ToolRegistry>;
}

/** Builds the request that a message in a chat would send. Up to the text of the message, both prompts are the same. */
export async function nextRequest(
  { requests, toolsFor }: NextRequestSources,
  chat: OpenedChat,
  model: ModelInfo,
  message: { text: string; attachments?: readonly Attachment[] },
): Promise<ChatRequest> {
  const { mode, sessionId } = chat;
  const tools = (await toolsFor(chat, model)).wire();
  const entries = [...chat.entries, entryOf(chat, message)];
  return requests.build({ mode, model, tools, entries, sessionId, agentName: agentNameOf(chat.entries) });
}

function entryOf(
  { sessionId, mode, entries }: OpenedChat,
  { text, attachments = [] }: { text: string; attachments?: readonly Attachment[] },
): Entry {
  const last = entries.at(-1);
  const seq = (last?.seq ?? 0) + 1;
  return {
    ...{ type: 'user_input', id: '', sessionId: sessionId ?? '', seq, revision: seq, timestamp: last?.timestamp ?? 0 },
    ...{ isOpen: false, model: null, checkpointId: null, planItemId: null, content: text },
    data: { mode, attachments: [...attachments] },
  };
}

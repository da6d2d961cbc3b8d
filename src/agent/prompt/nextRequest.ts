import type { Attachment, AttachmentRef, Entry } from '../../protocol/entries';
import type { ModelInfo } from '../../types/model';
import type { ChatMode } from '../../types/modes';
import type { ChatRequest } from '../../types/ollama';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { findAgentName } from './chosenAgent';
import type { RequestBuilder } from './requestBuilder';

/** Open chat in the form needed to build its next request. */
export interface ChatForRequest {
  /** Session of the chat, or null for a chat without messages. */
  sessionId: string | null;
  mode: ChatMode;
  model: string;
  entries: readonly Entry[];
  /** Attachments of the draft in the order in which they are sent. */
  attachments?: readonly AttachmentRef[];
}

export interface NextRequestSources {
  requests: Pick<RequestBuilder, 'build'>;
  /** Returns the tools for the next request. */
  toolsFor: (chat: ChatForRequest, model: ModelInfo) => Promise<ToolRegistry>;
}

/**
 * Builds the request that the next message in a chat would send. The
 * prompt is the same as in the real request up to the message text.
 */
export async function nextRequest(
  { requests, toolsFor }: NextRequestSources,
  chat: ChatForRequest,
  model: ModelInfo,
  message: { text: string; attachments?: readonly Attachment[] },
): Promise<ChatRequest> {
  const { mode, sessionId } = chat;
  const tools = (await toolsFor(chat, model)).wire();
  const entries = [...chat.entries, createEntry(chat, message)];
  return requests.build({ mode, model, tools, entries, sessionId, agentName: findAgentName(chat.entries) });
}

function createEntry(
  { sessionId, mode, entries }: ChatForRequest,
  { text, attachments = [] }: { text: string; attachments?: readonly Attachment[] },
): Entry {
  const last = entries.at(-1);
  const seq = (last?.seq ?? 0) + 1;
  return {
    type: 'user_input',
    id: '',
    sessionId: sessionId ?? '',
    seq,
    revision: seq,
    timestamp: last?.timestamp ?? 0,
    isOpen: false,
    model: null,
    checkpointId: null,
    planItemId: null,
    content: text,
    data: { mode, attachments: [...attachments] },
  };
}

import { summaryOpening } from '../../../src/agent/context/summaryText';
import { titleInstruction } from '../../../src/agent/prompt/titleWriter';
import type { WireMessage } from '../../../src/types/ollama';

export function isSummaryRequest({ messages = [] }: { messages?: readonly WireMessage[] }): boolean {
  return messages[0]?.content.startsWith(summaryOpening) === true;
}

export function isTitleRequest({ messages = [] }: { messages?: readonly WireMessage[] }): boolean {
  return [messages[0], messages.at(-1)].some((message) => message?.content.startsWith(titleInstruction) === true);
}

export function isRepairRequest({ format }: Record<string, unknown>): boolean {
  return typeof format === 'object' && format !== null && ('oneOf' in format || 'items' in format);
}

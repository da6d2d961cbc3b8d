import type { PrefixPart } from '../../protocol/contextUse';
import type { ChatRequest } from '../../types/ollama';
import type { SystemTexts } from '../prompt/requestBuilder';

interface LastPrompt {
  sessionId: string;
  parts: Parts;
}

interface Parts extends SystemTexts {
  system: string;
  tools: string;
  history: string[];
}

/**
 * Finds the part of a prompt that changed since the last request to the same model, if the same chat sent it. The server
 * processes the prompt again from the first change on. Text that is added at the end does not count as a change.
 */
export class PrefixWatch {
  /** Last prompt by model. The prompt cache usually contains no earlier prompts. */
  private readonly last = new Map<string, LastPrompt>();

  /** Returns the first changed part in the order of the prompt, or null if the prompt only extends the last one. */
  changed(sessionId: string, request: ChatRequest, texts: SystemTexts): PrefixPart | null {
    const parts = splitRequest(request, texts);
    const last = this.last.get(request.model);
    this.last.set(request.model, { sessionId, parts });
    if (last?.sessionId !== sessionId) return null;
    const before = last.parts;
    for (const kind of ['system', 'tools', 'instructions', 'memory'] as const) if (before[kind] !== parts[kind]) return kind;
    // The last message is not compared, because it may have contained a hint for one request only.
    const isKept = before.history.slice(0, -1).every((message, index) => message === parts.history[index]);
    return isKept ? null : 'history';
  }
}

function splitRequest({ messages, tools = [] }: ChatRequest, { instructions, memory }: SystemTexts): Parts {
  const [first, ...others] = messages;
  const history = (first?.role === 'system' ? others : messages).map((message) => JSON.stringify(message));
  const whole = first?.role === 'system' ? first.content : '';
  const system = [memory, instructions].reduce((text, part) => (part === '' ? text : text.replace(part, () => '')), whole);
  return { system, tools: JSON.stringify(tools), instructions, memory, history };
}

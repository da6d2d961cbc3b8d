import type { PrefixPart } from '../../protocol/contextUse';
import type { ChatRequest } from '../../types/ollama';
import type { SystemTexts } from '../prompt/requestBuilder';

interface Parts extends SystemTexts {
  system: string;
  tools: string;
  history: string[];
}

/**
 * Finds the part of a prompt that changed since the last request to the same model. The server reprocesses the prompt from the first change
 * on. Text added at the end is not a change.
 */
export class PrefixWatch {
  private readonly last = new Map<string, Parts>();

  /** Returns the first changed part in prompt order; null if the prompt extends the last one. */
  changed(request: ChatRequest, texts: SystemTexts): PrefixPart | null {
    const parts = partsOf(request, texts);
    const before = this.last.get(request.model);
    this.last.set(request.model, parts);
    if (before === undefined) return null;
    for (const kind of ['system', 'tools', 'instructions', 'memory'] as const) if (before[kind] !== parts[kind]) return kind;
    // The last message may have held a hint, which is sent in one request only.
    const isKept = before.history.slice(0, -1).every((message, index) => message === parts.history[index]);
    return isKept ? null : 'history';
  }
}

function partsOf({ messages, tools = [] }: ChatRequest, { instructions, memory }: SystemTexts): Parts {
  const [first, ...others] = messages;
  const history = (first?.role === 'system' ? others : messages).map((message) => JSON.stringify(message));
  const whole = first?.role === 'system' ? first.content : '';
  const system = [memory, instructions].reduce((text, part) => (part === '' ? text : text.replace(part, () => '')), whole);
  return { system, tools: JSON.stringify(tools), instructions, memory, history };
}

import type { WireMessage } from '../../../src/types/ollama';
import type { GenerationRequest } from './doubleReply';

/**
 * Orders in which chat templates write the system prompt, tools and messages. Sources: the templates in Ollama's library and the renderers
 * in its repository (`template/`, `model/renderers/`, 0.32.15).
 * - `chatml`: system prompt and tools first (qwen2.5, qwen3). A switch after the last user message controls thinking.
 * - `llama3`: system prompt first. Tools before the text of the last message if it is from the user (llama3.1, llama3.2).
 * - `mistral`: tools before the last user message. If no message follows, the system prompt is inside it (mistral, mistral-nemo).
 * - `gemma`: system prompt in the first user message (gemma2, gemma3).
 * - `deepseek`: system prompt and tools first. Only thoughts of the current turn (deepseek-v3.1).
 * - `harmony`: thinking level and date before system prompt and tools (gpt-oss).
 * - `commandR`: system prompt and tools first. Instructions after each user message (command-r).
 */
export type PromptOrder = 'chatml' | 'llama3' | 'mistral' | 'gemma' | 'deepseek' | 'harmony' | 'commandR';

export const promptOrders: readonly PromptOrder[] = ['chatml', 'llama3', 'mistral', 'gemma', 'deepseek', 'harmony', 'commandR'];

interface Conversation {
  system: string;
  tools: string;
  turns: readonly WireMessage[];
  think: boolean;
}

/** Renders a chat in the order of a template. The markers stand for the special tokens of the template. */
export function renderChat(order: PromptOrder, { messages, tools, think }: GenerationRequest): string {
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n\n');
  const turns = messages.filter(({ role }) => role !== 'system');
  const declared = tools.length > 0 ? `<tools>${JSON.stringify(tools)}</tools>` : '';
  return renderers[order]({ system, tools: declared, turns, think });
}

const renderers: Readonly<Record<PromptOrder, (chat: Conversation) => string>> = {
  chatml: ({ system, tools, turns, think }) => {
    const last = turns.findLastIndex(({ role }) => role === 'user');
    return `<system>${system}\n${tools}</system>${turnsOf(turns, (text, at) => (at === last ? `${text} ${think ? '/think' : '/no_think'}` : text))}`;
  },
  llama3: ({ system, tools, turns }) =>
    `<system>${system}</system>${turnsOf(turns, (text, at) => (at === turns.length - 1 ? tools + text : text))}`,
  mistral: ({ system, tools, turns }) =>
    turnsOf(turns, (text, at) => {
      const rest = turns.length - at;
      return `${rest <= 2 ? tools : ''}[INST] ${rest === 1 ? `${system}\n\n` : ''}${text}`;
    }),
  gemma: ({ system, turns }) => turnsOf(turns, (text, at) => (at === 0 ? `${system}\n\n${text}` : text)),
  deepseek: ({ system, tools, turns, think }) => `${system}${tools}${turnsOf(turns)}${think ? '<think>' : '</think>'}`,
  harmony: ({ system, tools, turns, think }) =>
    `<system>Reasoning: ${think ? 'medium' : 'low'}</system><developer>${system}${tools}</developer>${turnsOf(turns)}`,
  commandR: ({ system, tools, turns }) =>
    `<system>${system}${tools}</system>${turnsOf(turns, (text) => `${text}<system>Write 'Action:'</system>`)}`,
};

/** Renders the messages. `user` transforms the text of user messages. */
function turnsOf(turns: readonly WireMessage[], user: (text: string, at: number) => string = (text) => text): string {
  const written = turns.map(({ role, content, tool_calls: calls = [] }, at) => {
    const called = calls.map((call) => `<call>${JSON.stringify(call.function)}</call>`).join('');
    return `<${role}>${role === 'user' ? user(content, at) : content}${called}</${role}>`;
  });
  return written.join('');
}

import type { ModelSpec } from '../../support/ollama/doubleModel';
import type { GenerationRequest, Scripted } from '../../support/ollama/doubleReply';

/** Names that `npm run test:ollama` gives to its models. */
export const tinyModelNames = {
  chat: 'oc-chat',
  tools: 'oc-tools',
  toolsNative: 'oc-tools-native',
  thinking: 'oc-think',
  insert: 'oc-insert',
  embed: 'oc-embed',
};

const parameters = { num_predict: 256, num_thread: 1, stop: ['<|im_end|>'], temperature: 0 };

/** Specifications of the same models for the double. */
export const tinyModels: ModelSpec[] = [
  { name: 'oc-chat', parameters: { ...parameters, num_predict: 1024 } },
  { name: 'oc-tools', capabilities: ['completion', 'tools'], parameters },
  { name: 'oc-tools-native', capabilities: ['completion', 'tools'], path: 'native', parameters },
  { name: 'oc-think', capabilities: ['completion', 'thinking'], parameters },
  { name: 'oc-insert', capabilities: ['completion', 'insert'], parameters },
  { name: 'oc-embed', capabilities: ['embedding'], contextLength: 512 },
];

/** Returns the response of the tiny models to the prompts of the shared contract. */
export function tinyReply(request: GenerationRequest): Scripted {
  const last = request.messages.at(-1);
  if (last?.role === 'tool') return ['I have', ' read it.', ' [TASK_COMPLETE]'];
  if (last?.content === 'Read README.md') return [{ call: { name: 'read_file', arguments: { path: 'README.md' } } }];
  if (request.model === 'oc-think') {
    return [
      { thinking: 'The user asks for the capital' },
      { thinking: ' of France.\n' },
      'The capital of',
      ' France is',
      ' Paris.',
    ];
  }
  // One word is one token here, and the model continues until it is stopped.
  return Array.from({ length: 600 }, (_, at) => [` ${at % 10},`, { wait: 1 }] as const).flat();
}

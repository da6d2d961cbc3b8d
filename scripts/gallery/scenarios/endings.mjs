import { LogBuilder } from '../entries.mjs';
import { answer, thought } from '../texts.mjs';
import { ask, failed, models, pull, ready, session } from './base.mjs';
import { ran } from './tasks.mjs';

const missingModel = (name, ready = {}) =>
  session(
    new LogBuilder()
      .user(ask)
      .add('error', `The model “${name}” is not installed on the Ollama server. Pull it, or choose another model.`, {
        code: 'modelNotFound',
        actions: ['pullModel', 'selectModel', 'retry'],
        detail: `model '${name}' not found`,
        model: name,
      })
      .done('failed'),
    {},
    { ready: { models: { ...models, selected: { agent: name, ask: name } }, ...ready } },
  );

export const endingsScenarios = {
  'cut-off': {
    ...session(
      new LogBuilder()
        .user('What is missing in the signup form?', 'ask')
        .add('assistant_output', answer.slice(0, 330), { end: 'length' })
        .add(
          'system_message',
          'The answer was cut off at the limit of 200 tokens. Select Continue for the rest, or increase “maxTokens” in the settings.',
          { level: 'warning', code: 'length' },
        )
        .done('limit'),
      {},
    ),
  },
  'broken-off': {
    ...session(
      new LogBuilder()
        .user(ask)
        .add('assistant_output', 'I would begin with the', { end: 'incomplete' })
        .add('error', 'The model’s answer ended early. Try again.', { code: 'stream', actions: ['retry'] })
        .done('failed'),
      {},
    ),
  },
  stopped: session(
    new LogBuilder().user(ask).add('assistant_output', 'I would begin with the', { end: 'stopped' }).done('stopped'),
    {},
  ),
  interrupted: session(new LogBuilder().user(ask).thought(thought, 3).answer('I would begin with the', true), {
    state: 'interrupted',
  }),
  limit: session(
    ran()
      .add('system_message', 'Stopped after 25 steps, the limit in “Maximum steps per message”. Select Continue to go on.', {
        level: 'warning',
        code: 'maxIterations',
      })
      .done('limit'),
    {},
  ),
  'error-connection': {
    ...failed(
      'Ollama does not respond at http://localhost:11434. Start it, or correct the server address.',
      'connection',
      ['startOllama', 'openSettings', 'retry'],
      'connect ECONNREFUSED 127.0.0.1:11434',
    ),
    do: ['click How to start Ollama', 'click Details'],
  },
  'error-model': missingModel('hf.co/somebody/Another-Very-Long-Model-Name-Instruct-GGUF:Q4_K_M'),
  'error-model-pulling': missingModel('qwen3:32b', { pulls: [pull('qwen3:32b')] }),
  'error-model-installed': missingModel('qwen3:14b'),
  'error-overflow': failed(
    'This chat needs about 41,200 tokens, but the context window is 32,768. Start a new chat, send a shorter message, or increase the context window in the settings.',
    'contextOverflow',
    ['newSession', 'openSettings'],
  ),
};

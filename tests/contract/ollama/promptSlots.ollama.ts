import assert from 'node:assert/strict';
import { RealServer } from '../../support/ollama/realServer';
import { tinyModelNames } from './tinyModels';

const server = RealServer.named();
if (!server) throw new Error('OLLAMA_HOST names no server; `npm run test:ollama` starts one.');

/** Number of alternating prompts of each kind. */
const turns = 50;
/** Maximum number of them that may be read from the beginning. */
const most = 2;
const window = 2048;

interface Read {
  prompt_eval_count: number;
  prompt_eval_duration: number;
}

/** Returns text that no other prompt begins with. */
function words(seed: number, count: number): string {
  return Array.from({ length: count }, (_, at) => `w${((at * seed * 7919) % 10_007).toString(36)}`).join(' ');
}

/**
 * A server with one slot per model (`OLLAMA_NUM_PARALLEL` 1) keeps the caches of earlier prompts in memory and restores them. Therefore a
 * chat is not read again after a suggestion or a subagent has used the same model.
 */
describe('prompts by turns on one model of a real Ollama', () => {
  const model = tinyModelNames.chat;
  const options = { num_ctx: window, num_predict: 1, repeat_penalty: 1 };
  const load = { model, keep_alive: '10m', stream: false, truncate: false, shift: false, options };
  const generate = (prompt: string) => server.post('/api/generate', { ...load, prompt, raw: true }) as Promise<Read>;
  const chat = (texts: readonly string[]) => {
    const messages = texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
    return server.post('/api/chat', { ...load, messages }) as Promise<Read>;
  };
  /** Counts the prompts that were read from the beginning: those that took more than a third of the time of the first one. */
  const whole = ([first = 1, ...others]: readonly number[]) => others.filter((one) => one > first / 3).length;
  const ms = ({ prompt_eval_duration: duration }: Read) => duration / 1e6;

  before(() => server.post('/api/chat', { model, messages: [], keep_alive: 0, stream: false }));

  it('reads a chat and a suggestion again at most twice in 100 turns', async () => {
    const chats: number[] = [];
    const suggestions: number[] = [];
    const conversation = [words(3, 200)];
    for (let turn = 0; turn < turns; turn += 1) {
      chats.push(ms(await chat(conversation)));
      conversation.push('Yes.', `And ${turn}?`);
      suggestions.push(ms(await generate(`${words(5, 200)} ${turn}`)));
    }
    const count = whole(chats) + whole(suggestions);
    console.log(`      ${count} of ${2 * turns} were read from the beginning`);
    assert.ok(count <= most, `${count}`);
  });

  it('reads a chat and its subagent again at most twice in 100 turns', async () => {
    const main: number[] = [];
    const sub: number[] = [];
    const conversation = [words(11, 200)];
    const exploration = [words(13, 200)];
    for (let turn = 0; turn < turns; turn += 1) {
      main.push(ms(await chat(conversation)));
      conversation.push('Yes.', `And ${turn}?`);
      sub.push(ms(await chat(exploration)));
      exploration.push('Found.', `Next ${turn}.`);
    }
    const count = whole(main) + whole(sub);
    console.log(`      ${count} of ${2 * turns} were read from the beginning`);
    assert.ok(count <= most, `${count}`);
  });
});

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { RealServer } from '../../support/ollama/realServer';
import { CompletionBench } from '../../unit/completion/support/completionBench';

const server = RealServer.named();
if (!server) throw new Error('OLLAMA_HOST names no server; `npm run test:ollama` starts one.');
const { baseUrl } = server;

const template = '<fim_prefix>{prefix}<fim_suffix>{suffix}<fim_middle>';

/** Suggestions on a real server. Its tiny models cannot fill in the middle, and the self-test has to detect this. */
describe('Suggestions on a real Ollama', () => {
  // A tiny model on a busy machine can take a minute to read its first prompt.
  let bench: CompletionBench;
  beforeEach(() => {
    bench = CompletionBench.on(baseUrl);
  });
  afterEach(() => bench.stop());

  for (const [way, model, own] of [
    ['by tokens of its own', 'oc-chat:latest', template],
    ['by its suffix', 'oc-insert:latest', ''],
  ] as const) {
    it(`finds out ${way} that ${model} cannot fill in the middle, and says what it wrote`, async () => {
      bench.verdicts.clear();
      bench.settings.set('completionMode.model', model);
      bench.settings.set('completionMode.template', own);
      assert.equal(await bench.at('const a = |;\n').text(), undefined);
      assert.equal(bench.engine.state.noSuggestion?.code, 'unfit', JSON.stringify(bench.engine.state.noSuggestion));
      assert.match(bench.engine.state.noSuggestion?.detail ?? '', /failed the self-test\. (Got|Expected)/);
    });

    it(`is answered ${way}, in one line, without tokens of the family`, async () => {
      bench.settings.set('completionMode.model', model);
      bench.settings.set('completionMode.template', own);
      const found = await bench.at('The numbers are 1, 2, 3, 4, 5, 6, |\n').complete({ isAsked: true });
      const { noSuggestion: nothing } = bench.engine.state;
      // The answer of a weak model may be dropped, but an error is not allowed.
      assert.ok(found !== undefined || nothing?.code === 'dropped' || nothing?.code === 'empty', JSON.stringify(nothing));
      assert.ok(!/\n|<fim_/.test(found?.text ?? ''), JSON.stringify(found?.text));
    });
  }

  it('closes a request that something else was typed under, which leaves the server free', async () => {
    const model = 'oc-chat:latest';
    bench.settings.set('completionMode.model', model);
    bench.settings.set('completionMode.template', template);
    bench.settings.set('completionMode.maxTokens', 2000);
    await bench.at('Warm |').complete({ isAsked: true });
    const window = (await bench.models.chosen()) as { options: { num_ctx: number } };
    const idle = await server.timeToAnswer(model, window.options.num_ctx);
    const controller = new AbortController();
    const first = bench.at('1, 2, 3\n|\n').complete({ isAsked: true, signal: controller.signal });
    await sleep(500);
    controller.abort();
    bench.engine.reset();
    await first;
    const free = await server.timeToAnswer(model, window.options.num_ctx);
    assert.ok(free < 2 * idle + 1000, `after closing ${free} ms, on the idle server ${idle} ms`);
  });
});

import assert from 'node:assert/strict';
import { perfectMiddle, probeReply } from '../../../support/ollama/fimReply';
import { CompletionBench } from '../support/completionBench';

const before = 'function area(width, height) {\n  return ';
const middle = 'width * height;';
const after = '\n}\n\nconsole.log(area(2, 3));\n';
const whole = `${before}${middle}${after}`;

const models = [
  ['qwen2', 'qwen2.5-coder:1.5b-base', '<|fim_suffix|>'],
  ['qwen3moe', 'qwen3-coder:30b', '<|fim_suffix|>'],
  ['llama', 'codellama:7b-code', '<SUF>'],
  ['llama', 'deepseek-coder:1.3b-base', '<｜fim▁hole｜>'],
  ['deepseek2', 'deepseek-coder-v2:16b-lite-base', '<｜fim▁hole｜>'],
  ['starcoder2', 'starcoder2:3b', '<fim_suffix>'],
  ['starcoder', 'starcoder:1b', '<fim_suffix>'],
  ['qwen2', 'codeqwen:7b-code', '<fim_suffix>'],
  ['stablelm', 'stable-code:3b-code', '<fim_suffix>'],
  ['starcoder', 'santacoder', '<fim-suffix>'],
  ['gemma', 'codegemma:2b-code', '<|fim_suffix|>'],
  ['llama', 'codestral:22b', '[SUFFIX]'],
  ['llama', 'granite-code:3b-base', '<fim_suffix>'],
  ['granite', 'granite3.3:2b', '<|fim_suffix|>'],
  ['llama', 'seed-coder:8b', '<[fim-suffix]>'],
  ['llama', 'mellum:4b', '<fim_suffix>'],
  ['glm4moe', 'glm-4.5-air', '<|code_suffix|>'],
  ['chatglm', 'codegeex4:9b', '<|code_suffix|>'],
] as const;

describe('Families on a server', () => {
  let bench: CompletionBench;
  afterEach(() => bench.stop());

  for (const [architecture, name, token] of models) {
    it(`${name} fills the middle by its own tokens, raw`, async () => {
      bench = await CompletionBench.start({ models: [{ name, architecture }] });
      bench.settings.set('completionMode.model', name);
      bench.double.onGenerate((request) => perfectMiddle(request, [whole]));
      const found = await bench.at(`${before}|${after}`).complete();
      assert.equal(found?.text, middle);
      const { raw, suffix, prompt, options } = bench.asked[0]?.body as Record<string, unknown>;
      assert.deepEqual([raw, suffix, String(prompt).includes(token)], [true, undefined, true]);
      assert.ok((options as { stop: string[] }).stop.includes(token));
    });

    it(`${name} passes the self-test when it fills gaps in this way, and fails it when it does not`, async () => {
      bench = await CompletionBench.start({ models: [{ name, architecture }] });
      bench.double.onGenerate((request) => probeReply(request) ?? 'nothing');
      assert.equal((await bench.models.test(name)).verdict, 'can');
      bench.double.onGenerate(() => 'first');
      assert.equal((await bench.models.test(name)).verdict, 'cannot');
      assert.ok(bench.asked.every(({ body }) => (body as { raw?: boolean }).raw === true));
    });

    it(`${name} that goes on with its next token is cut there by the server`, async () => {
      bench = await CompletionBench.start({ models: [{ name, architecture }] });
      bench.settings.set('completionMode.model', name);
      bench.double.onGenerate(() => `${middle}${token}\nfunction other() {}`);
      assert.equal((await bench.at(`${before}|${after}`).complete())?.text, middle);
    });
  }

  it('a model of no family whose template has a suffix is asked by `suffix`', async () => {
    const name = 'own-coder:1b';
    bench = await CompletionBench.start({ models: [{ name, architecture: 'own', capabilities: ['completion', 'insert'] }] });
    bench.settings.set('completionMode.model', name);
    bench.double.onGenerate((request) => perfectMiddle(request, [whole]));
    assert.equal((await bench.at(`${before}|${after}`).complete())?.text, middle);
    const { raw, suffix, prompt } = bench.asked[0]?.body as Record<string, unknown>;
    assert.deepEqual([raw, suffix, prompt], [undefined, after, before]);
    assert.equal((await bench.models.test(name)).verdict, 'can');
    bench.double.onGenerate(() => 'first');
    assert.equal((await bench.models.test(name)).verdict, 'cannot');
  });

  it('a model of no family without `insert` is not asked', async () => {
    const name = 'chat:1b';
    bench = await CompletionBench.start({ models: [{ name, architecture: 'llama' }] });
    bench.settings.set('completionMode.model', name);
    assert.equal(await bench.at(`${before}|${after}`).complete(), undefined);
    assert.deepEqual([bench.asked.length, bench.engine.state.noSuggestion?.code], [0, 'unfit']);
  });
});

import assert from 'node:assert/strict';
import { probeReply } from '../../support/ollama/fimReply';
import { CompletionBench, coder } from './support/completionBench';
import { clearRefusalWhenPassed } from '../../../src/completion/flow/passedTest';

const suffixOnly = { name: 'own-fim:1b', capabilities: ['completion', 'insert'], architecture: 'llama' } as const;
const chatOnly = { name: 'llama3.2:3b', architecture: 'llama' } as const;

const oneOfEachFamily = [
  ['deepseek-coder:1.3b-base', 'llama'],
  ['codellama:7b-code', 'llama'],
  ['codestral:22b', 'llama'],
  ['santacoder:1b', 'starcoder'],
  ['starcoder2:3b', 'starcoder2'],
  ['starcoder:1b', 'starcoder'],
  ['granite3.3:2b', 'granite'],
  ['codegemma:2b-code', 'gemma'],
  ['stable-code:3b', 'stablelm'],
  ['seed-coder:8b-base', 'llama'],
  ['mellum:4b', 'llama'],
  ['codegeex4:9b', 'chatglm'],
  ['glm-4.5-air:106b', 'glm4moe'],
] as const;

describe('the self-test of a model', () => {
  let bench: CompletionBench;
  beforeEach(async () => {
    bench = await CompletionBench.start({ models: [coder, suffixOnly, chatOnly] });
    bench.verdicts.clear();
  });
  afterEach(() => bench.stop());

  it('proves a model by two right answers before its first suggestion, once', async () => {
    bench.double.onGenerate((request) => probeReply(request) ?? 'x');
    bench.double.script.push('second;\n', 'width * height;\n', 'log(1);');
    assert.equal(await bench.at('console.|').text(), 'log(1);');
    assert.equal(await bench.at('other.|').text(), 'x');
    assert.equal(bench.asked.length, 4);
    assert.deepEqual(
      [...bench.verdicts.values()].map(({ can }) => can),
      [true],
    );
    assert.equal(bench.double.loads.length, 1);
  });

  for (const [name, architecture] of oneOfEachFamily) {
    it(`proves ${name}, which fills gaps by the tokens of its family`, async () => {
      bench.double.addModel({ name, architecture });
      bench.double.onGenerate((request) => probeReply(request) ?? 'x');
      assert.equal((await bench.models.test(name)).verdict, 'can');
      assert.equal(bench.asked.length, 2);
    });
  }

  it('asks a model of no known family that can insert by its suffix', async () => {
    bench.settings.set('completionMode.model', suffixOnly.name);
    bench.double.onGenerate((request) => probeReply(request) ?? 'x');
    assert.equal((await bench.models.test(suffixOnly.name)).verdict, 'can');
    const { raw, suffix } = bench.asked[0]?.body as Record<string, unknown>;
    assert.deepEqual([raw, typeof suffix], [undefined, 'string']);
    bench.double.script.push('b;');
    assert.equal(await bench.at('a.|\nnext();\n').text(), 'b;');
    assert.deepEqual((bench.asked.at(-1)?.body as Record<string, unknown>)['suffix'], '\nnext();\n');
  });

  it('reports each verdict, also of a test that the first suggestion needed', async () => {
    const reported: unknown[] = [];
    bench.models.onDidTest((tested) => reported.push(tested));
    bench.double.onGenerate(() => 'Sure!');
    await bench.at('console.|').text();
    bench.double.onGenerate((request) => probeReply(request) ?? 'x');
    await bench.models.test(coder.name);
    assert.deepEqual(reported, [
      {
        name: coder.name,
        verdict: 'cannot',
        words: `${coder.name} failed the self-test. Got “Sure!”, expected “second”.`,
      },
      { name: coder.name, verdict: 'can', words: 'Passed the self-test.' },
    ]);
  });

  it('does not use one that fills gaps with anything, and says what it wrote', async () => {
    bench.double.onGenerate(() => 'Sure! Here is the code');
    assert.equal(await bench.at('console.|').text(), undefined);
    assert.deepEqual(bench.engine.state.noSuggestion, {
      code: 'unfit',
      detail: 'qwen2.5-coder:1.5b-base failed the self-test. Got “Sure! Here is the code”, expected “second”.',
    });
    assert.equal(bench.asked.length, 2);
    assert.equal(await bench.text(), undefined);
    assert.equal(bench.asked.length, 2);
  });

  it('tells without a request why the chosen model cannot be used, also after other reasons for no suggestion', async () => {
    assert.equal(await bench.models.knownRefusal(), null);
    await bench.models.options();
    bench.verdicts.clear();
    await bench.models.test(coder.name);
    bench.engine.reset();
    const asked = bench.double.requests.length;
    assert.match((await bench.models.knownRefusal()) ?? '', /failed the self-test/);
    assert.equal(bench.double.requests.length, asked);
  });

  it('clears the reason for no suggestion at once when the model passes a later test', async () => {
    const listener = clearRefusalWhenPassed(bench.engine, bench.models);
    bench.double.onGenerate(() => 'Sure! Here is the code');
    assert.equal(await bench.at('console.|').text(), undefined);
    await bench.models.test(coder.name);
    assert.equal(bench.engine.state.noSuggestion?.code, 'unfit');
    bench.double.onGenerate((request) => probeReply(request) ?? 'x');
    await bench.models.test(coder.name);
    assert.equal(bench.engine.state.noSuggestion, null);
    void listener.dispose();
  });

  it('lists what can, what is untested and what cannot, with words, without models that embed', async () => {
    bench.double.onGenerate((request) => probeReply(request) ?? 'x');
    await bench.models.test(coder.name);
    assert.deepEqual(
      (await bench.models.options()).map(({ name, verdict, words }) => [name, verdict, words]),
      [
        [coder.name, 'can', 'Passed the self-test.'],
        [suffixOnly.name, 'untested', 'Not tested yet.'],
        [chatOnly.name, 'unfit', 'llama3.2:3b does not support fill-in-the-middle (FIM). Choose another model for suggestions.'],
      ],
    );
  });

  it('asks by a person’s own template, and tests that', async () => {
    bench.settings.set('completionMode.model', chatOnly.name);
    bench.settings.set('completionMode.template', '<PRE>{prefix}<SUF>{suffix}<MID>');
    bench.double.onGenerate((request) => probeReply(request) ?? 'x');
    bench.double.script.push('second', 'width * height', 'yes()');
    assert.equal(await bench.at('say.|').text(), 'yes()');
    const { prompt, options } = bench.asked.at(-1)?.body as { prompt: string; options: { stop: string[] } };
    assert.equal(prompt, '<PRE>say.<SUF><MID>');
    assert.deepEqual(options.stop, ['<PRE>', '<SUF>', '<MID>', '\n']);
  });
});

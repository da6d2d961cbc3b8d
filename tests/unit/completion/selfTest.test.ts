import assert from 'node:assert/strict';
import { probeReply } from '../../support/ollama/fimReply';
import { CompletionBench, coder } from './support/completionBench';

const suffixOnly = { name: 'own-fim:1b', capabilities: ['completion', 'insert'], architecture: 'llama' } as const;
const chatOnly = { name: 'llama3.2:3b', architecture: 'llama' } as const;

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

  it('does not use one that fills gaps with anything, and says what it wrote', async () => {
    bench.double.onGenerate(() => 'Sure! Here is the code');
    assert.equal(await bench.at('console.|').text(), undefined);
    assert.deepEqual(bench.engine.state.nothing, {
      code: 'unfit',
      detail: 'qwen2.5-coder:1.5b-base failed the self-test: it wrote “Sure! Here is the code” where “second” was to come.',
    });
    assert.equal(bench.asked.length, 2);
    assert.equal(await bench.text(), undefined);
    assert.equal(bench.asked.length, 2);
  });

  it('lists what can, what is untested and what cannot, with words', async () => {
    bench.double.onGenerate((request) => probeReply(request) ?? 'x');
    await bench.models.test(coder.name);
    assert.deepEqual(
      (await bench.models.options()).map(({ name, verdict, words }) => [name, verdict, words]),
      [
        [coder.name, 'can', 'Passed the self-test.'],
        [suffixOnly.name, 'untested', 'Not tested yet.'],
        [chatOnly.name, 'cannot', 'llama3.2:3b cannot fill in the middle of a text. Choose another model for suggestions.'],
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

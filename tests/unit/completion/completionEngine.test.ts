import assert from 'node:assert/strict';
import { hold } from '../../support/ollama/doubleReply';
import { CompletionBench, coder } from './support/completionBench';
import { stopTime } from '../../support/stoppedTime';

describe('CompletionEngine', () => {
  stopTime();
  let bench: CompletionBench;
  beforeEach(async () => {
    bench = await CompletionBench.start();
  });
  afterEach(() => bench.stop());

  it('asks the model to fill in the middle, raw, with its own tokens, stops and window', async () => {
    bench.double.script.push('a + b;\nx');
    const found = await bench.at('function add(a, b) {\n  return |\n}\n').complete();
    assert.equal(found?.text, 'a + b;');
    const { prompt, raw, options, keep_alive, truncate, shift } = bench.asked[0]?.body as Record<string, unknown>;
    assert.equal(prompt, '<|fim_prefix|>function add(a, b) {\n  return <|fim_suffix|>\n}\n<|fim_middle|>');
    assert.deepEqual([raw, keep_alive, truncate, shift], [true, '30m', false, false]);
    const { stop, num_ctx, temperature, num_predict } = options as Record<string, unknown>;
    assert.deepEqual([num_ctx, temperature, num_predict], [8192, 0, 64]);
    assert.ok((stop as string[]).includes('<|fim_prefix|>') && (stop as string[]).includes('\n'));
  });

  it('copies exactly on a server that penalises repetition, unless the model sets a penalty of its own', async () => {
    const penalties = async (parameters: Record<string, number>) => {
      await bench.stop();
      bench = await CompletionBench.start({ age: '0.17.4', models: [{ ...coder, parameters }] });
      const given: unknown[] = [];
      bench.double.onGenerate(({ options }) => {
        given.push(options.repeat_penalty);
        return 'return total + tax;';
      });
      await bench.at('sum += |').text();
      const problem = { line: '  return totl + tax;', from: 9, to: 13, message: "Cannot find name 'totl'." };
      await bench.engine.rewrite(bench.at('function f() {\n|\n}\n').document, problem, new AbortController().signal);
      return given;
    };
    assert.deepEqual(await penalties({}), [1, 1]);
    assert.deepEqual(await penalties({ repeat_penalty: 1.3 }), [1.3, 1.3]);
  });

  it('loads a model that is not in memory before it asks, once, however much is typed meanwhile', async () => {
    await bench.stop();
    const loading = hold();
    bench = await CompletionBench.start({ models: [{ ...coder, loading: loading.step.hold }] });
    bench.double.onGenerate(() => 'rest();');
    const controller = new AbortController();
    const first = bench.at('ca|').complete({ signal: controller.signal });
    await bench.double.until(() => bench.double.requestsTo('/api/chat').length === 1);
    controller.abort();
    bench.at('other.|');
    const second = bench.complete();
    loading.release();
    assert.equal((await second)?.text, 'rest();');
    assert.equal(await first, undefined);
    assert.deepEqual([bench.double.loads.length, bench.asked.length, bench.double.aborted.length], [1, 1, 0]);
  });

  it('shows the first line of a block as soon as it is whole, and all of it when it has come', async () => {
    const { step, release } = hold();
    bench.double.script.push(['  const a = 1;\n  con', step, 'st b = 2;\n']);
    const first = await bench.at('function f() {\n|\n}\n').complete();
    assert.deepEqual([first?.text, first?.isPartial], ['  const a = 1;', true]);
    release();
    await bench.idle();
    const whole = await bench.complete();
    assert.deepEqual([whole?.text, whole?.isPartial], ['  const a = 1;\n  const b = 2;', false]);
    assert.equal(bench.asked.length, 1);
  });

  it('ends the answer where the block at the cursor ends', async () => {
    const { step, release } = hold();
    bench.double.script.push(['  return a;\n', '}\n\nfunction other() {\n', step, '  much more();\n']);
    await bench.at('function f(a) {\n|\n').complete();
    await bench.double.until(() => bench.double.aborted.length === 1);
    release();
    await bench.idle();
    assert.equal(await bench.text(), '  return a;\n}');
    assert.equal(bench.asked.length, 1);
  });

  it('typing along asks for nothing, and going back brings the suggestion again', async () => {
    bench.double.script.push('sole.log(a);');
    assert.equal(await bench.at('con|').text(), 'sole.log(a);');
    assert.equal(await bench.type('sole.').text(), 'log(a);');
    assert.equal(await bench.type('l').text(), 'og(a);');
    assert.equal(await bench.back(4).text(), 'le.log(a);');
    assert.equal(await bench.back(2).text(), 'sole.log(a);');
    assert.equal(bench.asked.length, 1);
  });

  it('a bracket that the editor closes by itself is taken into the suggestion', async () => {
    bench.double.script.push('all(one, two);');
    assert.equal(await bench.at('c|\nnext();\n').text(), 'all(one, two);');
    const found = await bench.at('call(|)\nnext();\n').complete();
    assert.deepEqual([found?.text, found?.replaces], ['one, two);', 1]);
    assert.equal(bench.asked.length, 1);
  });

  it('does not close a request while what is typed agrees with what has come', async () => {
    const { step, release } = hold();
    bench.double.script.push(['hel', step, 'lo()']);
    const first = bench.at('|').at('x.|').complete();
    await bench.double.until(() => bench.asked.length === 1);
    const second = bench.type('h').complete();
    const third = bench.type('ello').complete();
    release();
    assert.deepEqual([(await third)?.text, bench.asked.length, bench.double.aborted.length], ['()', 1, 0]);
    await Promise.all([first, second]);
  });

  it('closes a request at once when something else is typed, and asks anew', async () => {
    const { step, release } = hold();
    bench.double.script.push(['hello', step, '()'], 'world();');
    const controller = new AbortController();
    const first = bench.at('x.|').complete({ signal: controller.signal });
    await bench.double.until(() => bench.asked.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    const second = bench.type('w').complete();
    await bench.double.until(() => bench.double.aborted.length === 1);
    release();
    assert.equal((await second)?.text, 'world();');
    assert.equal(await first, undefined);
    assert.equal(bench.asked.length, 2);
  });

  it('asks again where the model has in the end written something else than was typed meanwhile', async () => {
    const { step, release } = hold();
    bench.double.script.push([step, 'hello()'], 'ait();');
    const asking = bench.at('x.|').complete();
    await bench.double.until(() => bench.asked.length === 1);
    const next = bench.type('w').complete();
    release();
    assert.equal((await next)?.text, 'ait();');
    await asking;
  });

  it('says why nothing came: no model, one that cannot, no answer of the server, nothing to say', async () => {
    bench.settings.set('completionMode.model', '');
    assert.equal(await bench.at('a|').text(), undefined);
    assert.deepEqual(bench.engine.state.noSuggestion, { code: 'noModel' });
    bench.double.addModel({ name: 'llama3.2:3b' });
    bench.settings.set('completionMode.model', 'llama3.2:3b');
    assert.equal(await bench.text(), undefined);
    assert.deepEqual(bench.engine.state.noSuggestion, {
      code: 'unfit',
      detail: 'llama3.2:3b does not support fill-in-the-middle (FIM). Choose another model for suggestions.',
    });
    bench.settings.set('completionMode.model', 'gone:1b');
    assert.equal(await bench.text(), undefined);
    assert.equal(bench.engine.state.noSuggestion?.code, 'failed');
    bench.settings.set('completionMode.model', coder.name);
    bench.double.script.push('');
    assert.equal(await bench.text(), undefined);
    assert.deepEqual(bench.engine.state.noSuggestion, { code: 'empty' });
    bench.double.script.push('b');
    assert.equal(await bench.at('else |').text(), 'b');
    assert.equal(bench.engine.state.noSuggestion, null);
  });
});

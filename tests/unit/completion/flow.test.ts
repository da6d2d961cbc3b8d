import assert from 'node:assert/strict';
import { TypingRhythm } from '../../../src/completion/flow/typingRhythm';
import { hold } from '../../support/ollama/doubleReply';
import { CompletionBench, coder } from './support/completionBench';
import { stopTime } from '../../support/stoppedTime';

const size = 1_000_000;
const onGpu = { ...coder, size, sizeVram: 2 * size };

/** Requests a suggestion and reports it as shown, as the editor does. */
async function show(bench: CompletionBench): Promise<string | undefined> {
  const found = await bench.complete();
  if (found) bench.engine.shown(bench.document, found);
  return found?.text;
}

describe('what completions do ahead, and when they wait', () => {
  stopTime();
  let bench: CompletionBench;
  const start = async (model: object = onGpu) => {
    bench = await CompletionBench.start({ models: [{ ...coder, ...model }] });
  };
  afterEach(() => bench.stop());

  it('asks for what comes next when a suggestion is shown, once, and has it when it is accepted', async () => {
    await start();
    bench.double.script.push('one();', '\n  two();');
    assert.equal(await show(bench.at('f.|\n}\n')), 'one();');
    await bench.double.until(() => bench.asked.length === 2);
    await bench.idle();
    assert.equal(await show(bench.type('on')), 'e();');
    assert.equal(bench.asked.length, 2);
    assert.match((bench.asked[1]?.body as { prompt: string }).prompt, /f\.one\(\);<\|fim_suffix/);
  });

  it('does not work ahead with a model that is not wholly on the graphics card', async () => {
    await start({ size, sizeVram: size });
    bench.double.script.push('one();');
    await show(bench.at('f.|'));
    await bench.engine.warm(bench.at('elsewhere|').document);
    assert.equal(bench.asked.length, 1);
  });

  it('lets the server read ahead for one token, once for a suggestion that is shown', async () => {
    await start();
    bench.double.onGenerate(() => 'x();');
    await show(bench.at('f.|'));
    await bench.double.until(() => bench.asked.length === 2);
    await bench.idle();
    const before = bench.asked.length;
    await bench.engine.warm(bench.at('elsewhere.|').document);
    await bench.engine.warm(bench.at('there.|').document);
    assert.equal(bench.asked.length, before + 1);
    assert.equal((bench.asked.at(-1)?.body as { options: { num_predict: number } }).options.num_predict, 1);
  });

  it('pauses while a chat works with the same model, says so, and answers on demand all the same', async () => {
    await start();
    bench.arbiter.trackRun({ sessionId: 's', state: 'running' }, () => Promise.resolve(coder.name));
    await Promise.resolve();
    bench.double.script.push('one();');
    assert.equal(await bench.at('f.|').text(), undefined);
    assert.deepEqual([bench.engine.state.noSuggestion, bench.asked.length], [{ code: 'chatRuns' }, 0]);
    assert.equal((await bench.complete({ isAsked: true }))?.text, 'one();');
  });

  it('tells when the rest of a block has come whose first line is on the screen', async () => {
    await start({ size, sizeVram: 0 });
    const { step, release } = hold();
    bench.double.script.push(['  one();\n', step, '  two();\n']);
    const grown: string[] = [];
    bench.engine.onDidGrow(({ text }) => grown.push(text));
    assert.equal(await show(bench.at('f() {\n|\n}\n')), '  one();');
    assert.deepEqual(grown, []);
    release();
    await bench.idle();
    assert.equal(grown.length, 1);
    assert.equal(await bench.text(), '  one();\n  two();');
  });

  it('notices that the server swaps the model with another one, back and forth', async () => {
    await start({ size, sizeVram: 0 });
    bench.double.onGenerate(() => 'x();');
    for (const word of ['one', 'two', 'three']) {
      assert.equal(bench.engine.state.isSwapped, false);
      await bench.at(`${word}.|`).text();
      bench.clock.time += 20_000;
      await fetch(`${bench.double.url}/api/chat`, {
        method: 'POST',
        body: JSON.stringify({ model: coder.name, messages: [], keep_alive: 0 }),
      });
    }
    assert.equal(bench.engine.state.isSwapped, true);
  });

  it('waits before it asks, and not when somebody asks', async () => {
    await start();
    bench.double.onGenerate(() => 'x();');
    await bench.at('first|').complete({ isAsked: true });
    assert.deepEqual(bench.clock.sleeps, []);
    bench.settings.set('completionMode.debounceMs', 700);
    await bench.at('second|').text();
    assert.deepEqual(bench.clock.sleeps, [700]);
  });
});

describe('TypingRhythm', () => {
  stopTime();
  const typed = (gap: number, keys = 20) => {
    const rhythm = new TypingRhythm();
    for (let key = 0; key < keys; key += 1) rhythm.note(key * gap);
    return (more: Partial<Parameters<TypingRhythm['delay']>[0]> = {}) =>
      rhythm.delay({ latency: 0, least: 0, before: 'word', divergences: 0, ...more });
  };

  it('waits longer for who types slowly, shorter after what asks for more', () => {
    assert.deepEqual([typed(100)(), typed(200)()], [160, 320]);
    assert.equal(typed(100)({ before: 'object.' }), 100);
  });

  it('takes off what the model needs anyway, and never waits less than was set', () => {
    assert.equal(typed(100)({ latency: 120 }), 40);
    assert.equal(typed(100)({ latency: 800 }), 0);
    assert.equal(typed(100)({ latency: 800, least: 250 }), 250);
  });

  it('waits longer while requests are for nothing, at most half a second', () => {
    assert.equal(typed(100)({ divergences: 2 }), 260);
    assert.equal(typed(300)({ divergences: 9 }), 500);
  });
});

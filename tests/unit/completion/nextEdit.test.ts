import assert from 'node:assert/strict';
import { CompletionBench } from './support/completionBench';
import { stopTime } from '../../support/stoppedTime';

const { signal } = new AbortController();

describe('the line that is offered rewritten', () => {
  stopTime();
  let bench: CompletionBench;
  beforeEach(async () => {
    bench = await CompletionBench.start();
    bench.double.script.push('x();');
  });
  afterEach(() => bench.stop());

  const broken = { line: '  return totl + tax;', from: 9, to: 13, message: "Cannot find name 'totl'." };
  const document = () => bench.at('const total = 1;\nfunction f(tax) {\n|\n}\n').document;

  it('comes from a model that is in memory, told of the problem, and is one line', async () => {
    await bench.at('warm|').text();
    bench.double.script.push('return total + tax;\n}');
    assert.equal(await bench.engine.rewrite(document(), broken, signal), '  return total + tax;');
    const { prompt } = bench.asked.at(-1)?.body as { prompt: string };
    assert.match(prompt, /function f\(tax\) \{\n {2}\/\/ Fix: Cannot find name 'totl'\.\n {2}<\|fim_suffix\|>\n\}\n/);
  });

  it('is none where the model writes something else, or the same again', async () => {
    await bench.at('warm|').text();
    for (const said of ['console.error("nothing alike at all", 12, 13, 14);', 'return totl + tax;', '']) {
      bench.double.script.push(said);
      assert.equal(await bench.engine.rewrite(document(), broken, signal), undefined, said);
    }
  });

  it('takes the name that the language extension proposes, without asking the model', async () => {
    await bench.at('warm|').text();
    const before = bench.asked.length;
    const proposed = { ...broken, message: "Cannot find name 'totl'. Did you mean 'total'?" };
    assert.equal(await bench.engine.rewrite(document(), proposed, signal), '  return total + tax;');
    assert.equal(bench.asked.length, before);
  });

  it('loads no model, and leaves one alone that a chat works with', async () => {
    assert.equal(await bench.engine.rewrite(document(), broken, signal), undefined);
    assert.deepEqual([bench.asked.length, bench.double.loads.length], [0, 0]);
  });
});

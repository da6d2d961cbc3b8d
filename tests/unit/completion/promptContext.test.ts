import assert from 'node:assert/strict';
import { PromptRate } from '../../../src/completion/flow/promptRate';
import { readImportLines } from '../../../src/completion/prompt/imports';
import { RecentEdits } from '../../../src/completion/prompt/recentEdits';
import { SnippetRing } from '../../../src/completion/prompt/snippetRing';
import { CompletionBench } from './support/completionBench';

const lines = (name: string, count: number) => Array.from({ length: count }, (_, at) => `const ${name}${at} = ${at};\n`).join('');
const invoice = 'export function totalOf(invoice: Invoice): number {\n  return sumOf(invoice.lines, taxOf(invoice));\n}\n';

describe('what a prompt tells of other files', () => {
  let bench: CompletionBench;
  beforeEach(async () => {
    bench = await CompletionBench.start();
    bench.double.onGenerate(() => 'x();');
  });
  afterEach(() => bench.stop());
  const promptOf = (at: number): string => (bench.asked.at(at)?.body as { prompt: string }).prompt;

  it('has definitions, then windows of other files that are alike, then what was edited, then this file', async () => {
    bench.definitions = () => Promise.resolve([{ path: 'tax.ts', text: 'export const taxOf = 1;\n' }]);
    bench.context.ring.add('invoice.ts', invoice);
    bench.context.ring.add('weather.ts', 'class Weather { rain(); snow(); forecast(); temperature(); }');
    bench.context.edits.note('lines.ts', 3, 'const edited = true;\n');
    await bench.at('const total = totalOf(invoice) + sumOf(invoice.lines) - taxOf(|\n').text();
    const prompt = promptOf(-1);
    const order = ['tax.ts', 'invoice.ts', 'lines.ts', 'a.ts', '<|fim_prefix|>'].map((name) => prompt.indexOf(name));
    assert.deepEqual(
      order,
      [...order].sort((one, other) => one - other),
      prompt,
    );
    assert.ok(order.every((at) => at >= 0) && !prompt.includes('Weather'), prompt);
  });

  it('stays byte by byte the same while somebody types, and is chosen anew after 5 s or a jump', async () => {
    bench.context.ring.add('invoice.ts', invoice);
    await bench.at('totalOf(invoice, sumOf |\n').text();
    const head = (at: number) => promptOf(at).slice(0, promptOf(at).indexOf('<|fim_prefix|>'));
    bench.context.ring.add('more.ts', 'totalOf invoice sumOf taxOf everything else that is alike');
    await bench.at('totalOf(invoice, sumOf other|\n').text();
    assert.equal(head(-1), head(-2));
    bench.clock.time += 6000;
    await bench.at('totalOf(invoice, sumOf third|\n').text();
    assert.notEqual(head(-1), head(-2));
    bench.context.ring.add('last.ts', 'totalOf invoice sumOf taxOf last');
    await bench.at(`${'\n'.repeat(60)}totalOf(invoice, sumOf fourth|\n`).text();
    assert.notEqual(head(-1), head(-2));
  });

  it('does not wait for a language server that is slow', async () => {
    bench.definitions = () => new Promise(() => undefined);
    assert.equal(await bench.at('call|').text(), 'x();');
  });

  it('keeps to the budget, with the text after the cursor a small part of it', async () => {
    bench.context.ring.add('invoice.ts', `${invoice}${lines('other', 60)}`);
    await bench.at(`${lines('before', 900)}totalOf(invoice |\n${lines('after', 900)}`).text();
    const [, before = '', after = ''] = /<\|fim_prefix\|>([^]*)<\|fim_suffix\|>([^]*)<\|fim_middle\|>/.exec(promptOf(-1)) ?? [];
    assert.ok(promptOf(-1).length <= 2048 * 3 + 100, String(promptOf(-1).length));
    assert.ok(after.length <= 0.2 * promptOf(-1).length && after.length > 200, String(after.length));
    assert.ok(before.length > 1500, String(before.length));
  });

  it('most of a prompt is the one before while somebody types on', async () => {
    const text = `${lines('before', 400)}`;
    const fresh: number[] = [];
    for (const typed of ['a', 'ab', 'abc', 'abcd', 'abcde']) {
      await bench.at(`${text}const ${typed}|\n${lines('after', 100)}`).text();
      const one = bench.asked.length > 1 ? promptOf(-2) : '';
      const other = promptOf(-1);
      let same = 0;
      while (same < one.length && one[same] === other[same]) same += 1;
      fresh.push(1 - same / other.length);
    }
    // The first answer measures the characters per token, which moves the start of the prompt once.
    assert.ok(
      fresh.slice(2).every((share) => share < 0.2),
      fresh.join(),
    );
  });
});

describe('the pieces of a prompt', () => {
  it('finds imports of many languages', () => {
    const text = ["import a from 'a';", "const b = require('b');", 'from c import d', '#include <e>', 'use f::g;', 'let x = 1;'];
    assert.equal(readImportLines(text.join('\n')), text.slice(0, -1).join('\n'));
  });

  it('a window that is nearly the same takes the place of the other, and the oldest of sixteen goes', () => {
    const ring = new SnippetRing();
    ring.add('a.ts', 'alpha beta gamma delta one two three');
    ring.add('a.ts', 'alpha beta gamma delta one two three');
    assert.deepEqual(ring.mostSimilar('alpha beta gamma', 'b.ts', 4).length, 1);
    for (let at = 0; at < 16; at += 1) ring.add(`${at}.ts`, `word${at} other${at} third${at} more${at}`);
    assert.deepEqual(ring.mostSimilar('alpha beta gamma', 'b.ts', 4), []);
    assert.deepEqual(ring.mostSimilar('word3 other3', '3.ts', 4), []);
  });

  it('an edit close to another one is the same', () => {
    const edits = new RecentEdits();
    edits.note('a.ts', 10, 'one');
    edits.note('a.ts', 12, 'two');
    edits.note('b.ts', 1, 'three');
    assert.deepEqual(
      edits.elsewhere('c.ts', 0).map(({ text }) => text),
      ['two', 'three'],
    );
    assert.deepEqual(
      edits.elsewhere('a.ts', 15).map(({ text }) => text),
      ['three'],
    );
  });

  it('gives a model that reads slowly as much as it reads in a second', () => {
    const rate = new PromptRate();
    assert.deepEqual([rate.budget, rate.charsPerToken], [2048, 3]);
    const prompt = 'p'.repeat(4000);
    rate.note(prompt, { prompt_eval_count: 1000, prompt_eval_duration: 1e9 });
    assert.deepEqual([rate.budget, rate.charsPerToken], [896, 4]);
    rate.note(`${prompt}x`, { prompt_eval_count: 1000, prompt_eval_duration: 1e6 });
    assert.equal(rate.budget, 896);
    rate.note('q'.repeat(400), { prompt_eval_count: 100, prompt_eval_duration: 9e9 });
    rate.note('r'.repeat(4000), { prompt_eval_count: 1000, prompt_eval_duration: 1.1e9 });
    assert.equal(rate.budget, 896);
  });
});

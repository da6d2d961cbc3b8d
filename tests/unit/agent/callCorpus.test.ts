import assert from 'node:assert/strict';
import { ToolCallParser } from '../../../src/agent/stream/toolCallParser';
import { comparable, dialects } from './support/callDialects';
import { callExamples } from './support/callExamples';
import type { ExampleCall } from './support/writeCalls';

const examples = callExamples();

/** Parses an answer in pieces of `size` characters. Returns its calls and text. */
function parse(text: string, names: ReadonlySet<string>, size: number): { calls: ExampleCall[]; text: string } {
  const parser = new ToolCallParser((name) => names.has(name));
  const pieces = [];
  for (let at = 0; at < text.length; at += size) pieces.push(...parser.push(text.slice(at, at + size)));
  pieces.push(...parser.flush());
  const calls = pieces.flatMap((piece) =>
    piece.kind === 'call'
      ? [{ name: piece.call.unreadable ? '(unreadable)' : piece.call.name, arguments: piece.call.input }]
      : [],
  );
  return { calls, text: pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('') };
}

describe(`Calls of ${examples.length} examples`, () => {
  const withCalls = examples.filter(({ calls }) => calls.length > 0);
  assert.ok(withCalls.length >= 60 && dialects.length >= 12);

  for (const dialect of dialects)
    it(`are read as ${dialect.name} writes them: none lost, none invented, no text left`, function () {
      this.timeout(0);
      for (const [at, { id, calls }] of withCalls.entries()) {
        const names = new Set(calls.map(({ name }) => name));
        const written = dialect.write(calls);
        const read = parse(written, names, [written.length, 7, 1][at % 3] ?? 1);
        assert.deepEqual(comparable(read.calls, dialect), comparable(calls, dialect), `${id}\n${written}`);
        assert.equal(read.text.trim(), '', id);
      }
    });

  it('are not taken from what a person asks, nor from an example in code with words after it', () => {
    const names = new Set(withCalls.flatMap(({ calls }) => calls.map(({ name }) => name)));
    for (const { id, question, calls } of examples) {
      assert.deepEqual(parse(`You ask: ${question}`, names, 7).calls, [], id);
      if (calls.length === 0) continue;
      const shown = `A call looks like this:\n\`\`\`json\n${JSON.stringify(calls[0])}\n\`\`\`\nIt is explained below.`;
      assert.deepEqual(parse(shown, names, 5).calls, [], id);
      assert.deepEqual(parse(`Use \`${JSON.stringify(calls[0])}\` for it.`, names, 5).calls, [], id);
    }
  });
});

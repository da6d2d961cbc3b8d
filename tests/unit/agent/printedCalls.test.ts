import assert from 'node:assert/strict';
import { ContentSplitter } from '../../../src/agent/stream/contentSplitter';
import { ToolCallParser } from '../../../src/agent/stream/toolCallParser';
import { comparable, dialects } from './support/callDialects';
import type { Dialect, ExampleCall } from './support/writeCalls';
import { quotations, surroundings, values } from './support/callSurroundings';

/** Required arguments of each tool. */
const tools: Readonly<Record<string, readonly string[]>> = {
  read_file: ['path'],
  create_file: ['path', 'content'],
  run_terminal_command: ['command'],
  list_todos: [],
};

interface Read {
  calls: ExampleCall[];
  text: string;
}

/** Parses an answer that arrives in pieces of `size` characters. */
function read(answer: string, size: number): Read {
  const parser = new ToolCallParser(
    (name) => Object.hasOwn(tools, name),
    ({ name, input }) => (tools[name] ?? []).every((key) => input[key] !== undefined),
  );
  const splitter = new ContentSplitter(null, parser);
  const segments = [];
  for (let at = 0; at < answer.length; at += size) segments.push(...splitter.push(answer.slice(at, at + size)));
  segments.push(...splitter.flush());
  let text = '';
  const calls: ExampleCall[] = [];
  for (const segment of segments) {
    if (segment.kind === 'wasThinking') text = '';
    if (segment.kind === 'text') text += segment.text;
    if (segment.kind === 'call')
      calls.push({ name: segment.call.unreadable ? '(unreadable)' : segment.call.name, arguments: segment.call.input });
  }
  return { calls, text: text.replaceAll(/\s+/g, ' ').trim() };
}

interface Case {
  title: string;
  dialect: Dialect;
  answer: string;
  calls: readonly ExampleCall[];
  text: string;
}

const cases: Case[] = dialects.flatMap((dialect) =>
  surroundings(dialect).flatMap(({ name, wrap, text }) =>
    values
      .filter((calls) => !(dialect.isSingle === true && calls.length > 1))
      .map((calls) => ({ title: `${dialect.name}, ${name}`, dialect, answer: wrap(dialect.write(calls)), calls, text })),
  ),
);

const shown = dialects.flatMap((dialect) =>
  quotations(dialect).map(({ name, wrap }) => ({
    title: `${dialect.name}, ${name}`,
    answer: wrap(dialect.write(values[0] ?? [])),
  })),
);

/** Fails with the first failures and their total number. */
function assertNone(failures: readonly string[], of: number): void {
  if (process.env.PRINTED_CALLS) console.log(failures.join('\n'));
  assert.equal(failures.length, 0, `${failures.length} of ${of}:\n${failures.slice(0, 12).join('\n\n')}`);
}

describe(`${cases.length} printed calls in ${dialects.length} dialects`, () => {
  it('are enough to mean something', () => {
    assert.ok(cases.length >= 1500 && dialects.length >= 25 && shown.length >= 300, `${cases.length}, ${shown.length}`);
  });

  for (const size of [1, 7, Infinity])
    it(`are all read, none is invented, and the words around them stay, in pieces of ${size}`, () => {
      const failures: string[] = [];
      for (const { title, dialect, answer, calls, text } of cases) {
        const seen = read(answer, Math.min(size, answer.length));
        try {
          assert.deepEqual(comparable(seen.calls, dialect), comparable(calls, dialect));
          assert.equal(seen.text, text);
        } catch {
          failures.push(`${title}:\n${answer}\n${JSON.stringify(seen)}`);
        }
      }
      assertNone(failures, cases.length);
    });

  for (const size of [1, 7, Infinity])
    it(`are not run where they are shown: ${shown.length} quotations, in pieces of ${size}`, () => {
      const failures: string[] = [];
      for (const { title, answer } of shown) {
        const seen = read(answer, Math.min(size, answer.length));
        if (seen.calls.length > 0 || seen.text !== answer.replaceAll(/\s+/g, ' ').trim())
          failures.push(`${title}:\n${answer}\n${JSON.stringify(seen)}`);
      }
      assertNone(failures, shown.length);
    });
});

import assert from 'node:assert/strict';
import { ToolCallParser } from '../../../src/agent/stream/toolCallParser';
import type { CallRisk } from '../../../src/agent/stream/callPlace';

const risks: Readonly<Record<string, CallRisk>> = {
  read_file: 'reads',
  write_file: 'changes',
  delete_file: 'destroys',
  run_terminal_command: 'destroys',
};
const json = (name: string): string => JSON.stringify({ name, arguments: { path: 'a.txt' } });
const forms: Readonly<Record<string, (name: string) => string>> = {
  'plain JSON': json,
  'a fence': (name) => `\`\`\`json\n${json(name)}\n\`\`\``,
  'a tag': (name) => `<tool_call>\n${json(name)}\n</tool_call>`,
  'a tag with parameters': (name) => `<function=${name}>\n<parameter=path>\na.txt\n</parameter>\n</function>`,
  words: (name) => `functools[${json(name)}]`,
  Python: (name) => `[${name}(path="a.txt")]`,
  'a token': (name) => `[TOOL_CALLS][${json(name)}]`,
  "Gemma's token": (name) => `<|tool_call>call:${name}{path:<|"|>a.txt<|"|>}<tool_call|>`,
};

/** Returns `text`, `asks` or `runs` for the only call in an answer. Fails if text is lost. */
function outcome(answer: string, size = answer.length): string {
  const parser = new ToolCallParser(
    (name) => Object.hasOwn(risks, name),
    () => true,
    ({ name }) => risks[name] ?? 'reads',
  );
  const pieces = [];
  for (let at = 0; at < answer.length; at += size) pieces.push(...parser.push(answer.slice(at, at + size)));
  pieces.push(...parser.flush());
  const [call, ...others] = pieces.flatMap((piece) => (piece.kind === 'call' ? [piece.call] : []));
  assert.deepEqual(others, []);
  if (call) return call.isUnannounced ? 'asks' : 'runs';
  const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
  assert.equal(text.trimEnd(), answer.trimEnd());
  return 'text';
}

const withheld = [
  'Ich verschiebe die Datei, statt sie zu löschen:',
  'Rather than run this, I keep the file:',
  'Please confirm that I should do this:',
  'Before I delete it, are you sure?',
  'Let me know if I should run this:',
  'Bitte bestätige, dass ich das ausführen soll:',
  'I refuse to run this call, since it would lose your only copy:',
  'I will not run it:',
  "I won't do this, because I must keep the file:",
  'I cannot run this safely:',
  'Shall I run this:',
  'Should I delete the file?',
  'May I run this?',
  'Do you want me to run this?',
  'Would you like me to delete it?',
  'The README contains this call:',
  'I found the following tool call in the README:',
  'This call was planted in the README:',
  'Should not be called:',
  'Do not run this:',
  'Never call this:',
  'This must not be executed:',
  'If you agree, I will run this:',
  'I will run this only with your approval:',
  'I will delete it once you confirm:',
  'Ich führe das nicht aus:',
  'Ich werde die Datei nicht löschen:',
  'Ich weigere mich, das auszuführen:',
  'Nicht ausführen:',
  'Soll ich die Datei löschen?',
  'Darf ich das ausführen:',
  'In der README steht dieser Aufruf:',
  'Wenn du zustimmst, führe ich das aus:',
];
const announced = [
  'I will do it:',
  "I'll delete the old build:",
  'I will now remove it.',
  "Let's run the tests:",
  'Let me delete the file.',
  'Running the tests now:',
  'First, I need to run the build.',
  "I'm going to delete a.txt:",
  "It is not needed any more. I'll delete it:",
  'Ich lösche die Datei:',
  'Ich werde die Datei jetzt löschen:',
  'Jetzt führe ich die Tests aus:',
];
const unclear = [
  'Instead of running this, I will move the file:',
  'The file is old.',
  'Here is the result:',
  'I will report this:',
  "I'll leave the file alone:",
  'Das ist der Aufruf:',
];

describe('a printed call that destroys something', () => {
  for (const [form, write] of Object.entries(forms)) {
    const isToken = form.includes('token');
    it(`stays text after words that refuse, ask, wait or quote, as ${form}`, () => {
      for (const words of withheld)
        for (const between of ['\n\n', ' '])
          for (const name of ['delete_file', 'run_terminal_command'])
            assert.equal(outcome(words + between + write(name)), 'text', words);
    });
    it(`runs after words that announce it, as ${form}`, () => {
      // A fence, even with a reading call, opens only after these announcements.
      for (const words of form === 'a fence' ? announced.slice(0, 4) : announced)
        assert.equal(outcome(`${words}\n${write('delete_file')}`), 'runs', words);
    });
    it(`does not run after other words, as ${form}`, () => {
      for (const words of unclear) assert.equal(outcome(`${words}\n\n${write('delete_file')}`), isToken ? 'asks' : 'text', words);
    });
    it(`needs an approval without words, except in the form of a template, as ${form}`, () => {
      const isOfTemplate = isToken || form.includes('tag');
      for (const size of [1, 7, 1000]) assert.equal(outcome(write('delete_file'), size), isOfTemplate ? 'runs' : 'asks');
    });
    it(`does not run unasked if words follow, as ${form}`, () => {
      for (const words of ['', "I'll delete it:\n"])
        assert.ok(['asks', 'text'].includes(outcome(`${words}${write('delete_file')}\nShould I?`)), words);
    });
    it(`differs from one that only reads, which needs no words, as ${form}`, () => {
      assert.equal(outcome(write('read_file')), 'runs');
      if (form !== 'a fence') assert.equal(outcome(`The file is old.\n${write('read_file')}`), 'runs');
    });
  }

  it('differs from an edit, which the user can undo, and which only words that refuse or ask hold back', () => {
    const write = forms['a tag']?.('write_file') ?? '';
    for (const words of withheld) assert.notEqual(outcome(`${words}\n${write}`), 'runs', words);
    for (const words of ['I refuse to write this:', 'Shall I write it?', 'Ich schreibe das nicht:'])
      assert.equal(outcome(`${words}\n${write}`), 'text', words);
    for (const words of [
      "The tests don't pass, since it is not exported.",
      "I can't import it here, so I'll write it:",
      'The function does not handle null.',
    ])
      assert.equal(outcome(`${words}\n${write}`), 'asks', words);
    assert.equal(outcome(`I'll write it:\n${write}`), 'runs');
  });

  it('stays text after a refusal also if it cannot be read', () => {
    assert.equal(
      outcome('I refuse to run this:\n<tool_call>{"name": "delete_file", "arguments": {"path": }</tool_call>'),
      'text',
    );
  });
});

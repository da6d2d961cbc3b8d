import assert from 'node:assert/strict';
import {
  extractContextLength,
  parseStopParameters,
  toCapabilities,
} from '../../../src/services/model/catalogue/modelCompatibility';

const none = { chat: false, fim: false, tools: false, vision: false, embedding: false, thinking: false };

describe('Capabilities', () => {
  const cases: [string[], Partial<typeof none>][] = [
    [['completion'], { chat: true }],
    [['completion', 'tools', 'thinking'], { chat: true, tools: true, thinking: true }],
    [['completion', 'insert'], { chat: true, fim: true }],
    [['completion', 'vision', 'audio', 'something-new'], { chat: true, vision: true }],
    [['embedding'], { embedding: true }],
    [['decision'], {}],
    [['completion', 'tools', 'embedding', 'decision'], {}],
    [[], {}],
  ];
  for (const [strings, expected] of cases) {
    it(`of [${strings.join(', ')}] are read from the strings alone`, () => {
      assert.deepEqual(toCapabilities(strings), { ...none, ...expected });
    });
  }

  it('of a server that tells none are chat only', () => {
    assert.deepEqual(toCapabilities(undefined), { ...none, chat: true });
    assert.deepEqual(toCapabilities(null), { ...none, chat: true });
  });
});

describe('The context length', () => {
  const length = (model_info: Record<string, unknown>) => extractContextLength({ model_info });

  it('is the one of the model’s architecture', () => {
    assert.equal(
      length({ 'general.architecture': 'qwen2', 'qwen2.context_length': 32768, 'qwen2.embedding_length': 896 }),
      32768,
    );
  });

  it('is not that of another part of the model', () => {
    const info = { 'clip.vision.context_length': 77, 'general.architecture': 'llama', 'llama.context_length': 8192 };
    assert.equal(length(info), 8192);
  });

  it('is found without the architecture', () => {
    assert.equal(length({ 'gemma2.context_length': 8192 }), 8192);
  });

  it('is null where the server does not tell it as a positive number', () => {
    for (const value of [undefined, 0, -1, '8192', null, Number.NaN])
      assert.equal(length({ 'llama.context_length': value }), null);
    assert.equal(length({}), null);
  });
});

describe('Stop parameters', () => {
  it('are the Go-quoted values of the padded key, in their order, each once', () => {
    const text = [
      'temperature                    0.6',
      'stop                           "<|im_start|>"',
      'stop                           "<|im_end|>"',
      'num_ctx                        4096',
      'stop                           "<|im_end|>"',
      'stop_something                 "no"',
    ].join('\n');
    assert.deepEqual(parseStopParameters(text), ['<|im_start|>', '<|im_end|>']);
  });

  const quoted: [string, string][] = [
    ['"\\n\\n"', '\n\n'],
    ['"say \\"hi\\""', 'say "hi"'],
    ['"back\\\\slash"', 'back\\slash'],
    ['"\\\\n"', '\\n'],
    ['"\\u003cend\\u003e"', '<end>'],
    ['"\\U0001F600"', '😀'],
    ['"\\xf0\\x9f\\x98\\x80"', '😀'],
    ['"\\a\\b\\f\\r\\t\\v"', '\x07\b\f\r\t\v'],
    ['"two words "', 'two words '],
    ['`raw \\n`', 'raw \\n'],
    ['unquoted', 'unquoted'],
  ];
  for (const [literal, expected] of quoted) {
    it(`unquote ${literal}`, () => {
      assert.deepEqual(parseStopParameters(`stop                           ${literal}`), [expected]);
    });
  }

  it('are none for no text, an empty text and an empty value', () => {
    for (const text of [undefined, null, '', 'stop', 'stop    ""']) assert.deepEqual(parseStopParameters(text), []);
  });
});

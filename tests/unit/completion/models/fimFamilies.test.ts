import assert from 'node:assert/strict';
import { findFimFamily } from '../../../../src/completion/models/fimFamilies';

const parts = { prefix: 'P;', suffix: 'S;', path: 'src/a.ts', context: [] };
const context = [{ path: 'src/b.ts', text: 'B' }];

/** Prompts from the documentation of each family, with and without another file. */
const families: Record<string, { models: readonly (readonly [string, string])[]; alone: string; withFile: string }> = {
  qwen: {
    models: [
      ['qwen2', 'qwen2.5-coder:1.5b-base'],
      ['qwen3moe', 'qwen3-coder:30b'],
      ['qwen3moe', 'hf.co/unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M'],
      ['qwen35', 'qwen3.6:4b'],
    ],
    alone: '<|fim_prefix|>P;<|fim_suffix|>S;<|fim_middle|>',
    withFile: '<|file_sep|>src/b.ts\nB\n<|file_sep|>src/a.ts\n<|fim_prefix|>P;<|fim_suffix|>S;<|fim_middle|>',
  },
  codellama: {
    models: [
      ['llama', 'codellama:7b-code'],
      ['llama', 'hf.co/TheBloke/CodeLlama-13B-GGUF'],
    ],
    alone: '<PRE> P; <SUF>S; <MID>',
    withFile: '<PRE> // Path: src/b.ts\n// B\n// Path: src/a.ts\nP; <SUF>S; <MID>',
  },
  deepseek: {
    models: [
      ['llama', 'deepseek-coder:1.3b-base'],
      ['deepseek2', 'deepseek-coder-v2:16b-lite-base-q4_0'],
    ],
    alone: '<｜fim▁begin｜>P;<｜fim▁hole｜>S;<｜fim▁end｜>',
    withFile: '<｜fim▁begin｜>#src/b.ts\nB\n#src/a.ts\nP;<｜fim▁hole｜>S;<｜fim▁end｜>',
  },
  starcoder2: {
    models: [
      ['starcoder2', 'starcoder2:3b'],
      ['qwen2', 'codeqwen:7b-code'],
    ],
    alone: '<fim_prefix>P;<fim_suffix>S;<fim_middle>',
    withFile: '<file_sep>src/b.ts\nB\n<file_sep><fim_prefix>src/a.ts\nP;<fim_suffix>S;<fim_middle>',
  },
  starcoder: {
    models: [
      ['starcoder', 'starcoder:1b'],
      ['llama', 'granite-code:3b-base'],
      ['starcoder', 'granite-code:20b-base'],
    ],
    alone: '<fim_prefix>P;<fim_suffix>S;<fim_middle>',
    withFile: '<filename>src/b.ts\nB\n<filename>src/a.ts\n<fim_prefix>P;<fim_suffix>S;<fim_middle>',
  },
  plain: {
    models: [
      ['stablelm', 'stable-code:3b-code'],
      ['llama', 'yi-coder:1.5b-base'],
    ],
    alone: '<fim_prefix>P;<fim_suffix>S;<fim_middle>',
    withFile: '<fim_prefix>// Path: src/b.ts\n// B\n// Path: src/a.ts\nP;<fim_suffix>S;<fim_middle>',
  },
  santacoder: {
    models: [['starcoder', 'santacoder']],
    alone: '<fim-prefix>P;<fim-suffix>S;<fim-middle>',
    withFile: '<fim-prefix>// Path: src/b.ts\n// B\n// Path: src/a.ts\nP;<fim-suffix>S;<fim-middle>',
  },
  codegemma: {
    models: [['gemma', 'codegemma:2b-code']],
    alone: '<|fim_prefix|>P;<|fim_suffix|>S;<|fim_middle|>',
    withFile: 'src/b.ts\nB\n<|file_separator|>src/a.ts\n<|fim_prefix|>P;<|fim_suffix|>S;<|fim_middle|>',
  },
  codestral: {
    models: [['llama', 'codestral:22b']],
    alone: '[SUFFIX]S;[PREFIX]P;',
    withFile: '[SUFFIX]S;[PREFIX]+++++ src/b.ts\nB\n\n+++++ src/a.ts\nP;',
  },
  granite: {
    models: [
      ['granite', 'granite3.3:2b'],
      ['granitehybrid', 'granite4:tiny-h'],
    ],
    alone: '<|fim_prefix|>P;<|fim_suffix|>S;<|fim_middle|>',
    withFile: '<|filename|>src/b.ts\nB\n<|filename|>src/a.ts\n<|fim_prefix|>P;<|fim_suffix|>S;<|fim_middle|>',
  },
  'seed-coder': {
    models: [['llama', 'hf.co/unsloth/Seed-Coder-8B-Instruct-GGUF']],
    alone: '<[fim-suffix]>S;<[fim-prefix]>P;<[fim-middle]>',
    withFile: '<[fim-suffix]>S;<[fim-prefix]>// Path: src/b.ts\n// B\n// Path: src/a.ts\nP;<[fim-middle]>',
  },
  mellum: {
    models: [['llama', 'hf.co/JetBrains/Mellum-4b-base-gguf']],
    alone: '<fim_suffix>S;<fim_prefix>P;<fim_middle>',
    withFile: '<filename>src/b.ts\nB\n<filename>src/a.ts\n<fim_suffix>S;<fim_prefix>P;<fim_middle>',
  },
  glm: {
    models: [['glm4moe', 'glm-4.5-air']],
    alone: '<|code_prefix|>P;<|code_suffix|>S;<|code_middle|>',
    withFile: '<|code_prefix|>// Path: src/b.ts\n// B\n// Path: src/a.ts\nP;<|code_suffix|>S;<|code_middle|>',
  },
  codegeex: {
    models: [['chatglm', 'codegeex4:9b']],
    alone:
      '<|user|>\n###PATH:src/a.ts\n###LANGUAGE:\n###MODE:BLOCK\n<|code_suffix|>S;<|code_prefix|>P;<|code_middle|><|assistant|>\n',
    withFile:
      '<|user|>\n###REFERENCE:\n###PATH:src/b.ts\nB\n###PATH:src/a.ts\n###LANGUAGE:\n###MODE:BLOCK\n' +
      '<|code_suffix|>S;<|code_prefix|>P;<|code_middle|><|assistant|>\n',
  },
};

describe('findFimFamily', () => {
  for (const [name, { models, alone, withFile }] of Object.entries(families)) {
    for (const [architecture, model] of models) {
      it(`${model} is asked in the way of ${name}`, () => {
        const family = findFimFamily(architecture, model);
        assert.equal(family?.name, name);
        assert.deepEqual([family.prompt(parts), family.prompt({ ...parts, context })], [alone, withFile]);
        assert.equal(family.suffixFirst, alone.indexOf('S;') < alone.indexOf('P;'));
      });
    }
    it(`an answer of ${name} ends at each token of its prompt`, () => {
      const [[architecture, model]] = models as [readonly [string, string]];
      const family = findFimFamily(architecture, model);
      const tokens = withFile.match(/<[^<>\n ]+>|\[[A-Z]+\]/g) ?? [];
      assert.deepEqual(
        tokens.filter((token) => family?.stop.includes(token) !== true),
        [],
      );
    });
    it(`no answer of ${name} ends at a comment or a blank line`, () => {
      const [[architecture, model]] = models as [readonly [string, string]];
      const stop = findFimFamily(architecture, model)?.stop ?? [];
      assert.deepEqual(
        stop.filter((one) => one.trim().length < 3 || one.trim() === '//'),
        [],
      );
    });
  }

  it('comments are those of the language', () => {
    const prompt = findFimFamily('llama', 'codellama:7b-code')?.prompt({
      ...parts,
      path: 'a.py',
      context: [{ path: 'b.py', text: 'x\n\ny\n' }],
    });
    assert.equal(prompt, '<PRE> # Path: b.py\n# x\n#\n# y\n# Path: a.py\nP; <SUF>S; <MID>');
  });

  it('a model without an architecture is known by its name alone', () => {
    assert.equal(findFimFamily(undefined, 'qwen2.5-coder:7b')?.name, 'qwen');
    assert.equal(findFimFamily('', 'starcoder2:3b')?.name, 'starcoder2');
  });

  for (const [architecture, model] of [
    ['llama', 'llama3.2:3b'],
    ['qwen2', 'qwen2.5:7b'],
    ['qwen3', 'qwen3:8b'],
    ['gemma3', 'gemma3:4b'],
    ['llama', 'codellama:34b'],
    ['llama', 'codellama:7b-python'],
    ['llama', 'opencoder:8b'],
    ['qwen2', 'sweep-next-edit:1.5b'],
    ['qwen2', 'hf.co/zed-industries/zeta'],
    ['llama', 'deepseek-r1:8b'],
    ['llama', 'my-own-model'],
    ['llama', 'qwen2.5-coder-lookalike'],
  ] as const) {
    it(`${model} (${architecture}) is of no family`, () => assert.equal(findFimFamily(architecture, model), undefined));
  }
});

import type { Cut } from './cuts';

/** Way in which models spoil a good answer. */
export interface Dirt {
  /** Returns the spoiled answer instead of `middle`; undefined if it does not apply. */
  spoil: (cut: Cut) => string | undefined;
  family?: string;
  /** Expected result. `kept`: the good answer is fully extracted. `nothing`: nothing is shown. Otherwise, both are allowed. */
  becomes?: 'kept' | 'nothing';
}

const otherFile = 'import os\n\nPATH = os.getcwd()\n';

function lineStart({ prefix }: Cut): string {
  return prefix.slice(prefix.lastIndexOf('\n') + 1);
}

function nextLines({ suffix }: Cut, count: number): string {
  const lines = suffix.split('\n').slice(1);
  const first = lines.findIndex((line) => line.trim() !== '');
  return lines.slice(first, first + count).join('\n');
}

function lastLine({ prefix, middle }: Cut): string {
  return `${prefix}${middle}`.split('\n').at(-1) ?? '';
}

function isWholeLine(cut: Cut): boolean {
  return cut.suffix.startsWith('\n');
}

/** Spoiled answers by name. */
export const dirt: Readonly<Record<string, Dirt>> = {
  'goes on with the suffix token': {
    spoil: ({ middle }) => `${middle}<|fim_suffix|>${otherFile}`,
    family: 'qwen',
    becomes: 'kept',
  },
  'goes on with a token and the next document': { spoil: ({ middle }) => `${middle}<|endoftext|>${otherFile}`, becomes: 'kept' },
  'the end of a sentence': { spoil: ({ middle }) => `${middle}<｜end▁of▁sentence｜>`, family: 'deepseek', becomes: 'kept' },
  'tokens with underscores': {
    spoil: ({ middle }) => `${middle}<fim_prefix>${otherFile}`,
    family: 'starcoder2',
    becomes: 'kept',
  },
  'the middle token first': { spoil: ({ middle }) => `<|fim_middle|>${middle}`, family: 'qwen', becomes: 'kept' },
  'the end of the text in capitals': { spoil: ({ middle }) => `${middle} <EOT>`, family: 'codellama' },
  'tokens in brackets': { spoil: ({ middle }) => `${middle}[SUFFIX]${otherFile}`, family: 'codestral', becomes: 'kept' },
  'tokens in brackets and angles': {
    spoil: ({ middle }) => `${middle}<[fim-suffix]>${otherFile}`,
    family: 'seed-coder',
    becomes: 'kept',
  },
  'a broken token': { spoil: ({ middle }) => `${middle}<|fim_mid`, becomes: 'kept' },
  'the next file by its token': { spoil: ({ middle }) => `${middle}<|file_sep|>src/other.py\n${otherFile}`, becomes: 'kept' },
  'the next file by its name': { spoil: ({ middle }) => `${middle}\n<filename>src/other.py\n${otherFile}`, family: 'mellum' },
  'the next file by a comment': { spoil: ({ middle }) => `${middle}\n# Path: src/other.py\n${otherFile}` },
  'the next file by five signs': { spoil: ({ middle }) => `${middle}\n+++++ src/other.py\n${otherFile}`, family: 'codestral' },
  'turns of a chat': { spoil: ({ middle }) => `${middle}<|im_end|>\n<|im_start|>assistant\nIs there more?`, becomes: 'kept' },
  'a turn of Llama': { spoil: ({ middle }) => `${middle}</s>`, becomes: 'kept' },
  'a fence around it': { spoil: ({ middle }) => `\`\`\`python\n${middle}\n\`\`\`` },
  'a fence and words': {
    spoil: ({ middle }) => `Here is the completed code:\n\n\`\`\`python\n${middle}\n\`\`\`\n\nThis code returns the result.`,
  },
  'the end of a fence': { spoil: ({ middle }) => `${middle}\n\`\`\`\nThe function now works.` },
  'ticks around it': { spoil: ({ middle }) => (middle.includes('\n') ? undefined : `\`${middle}\``), becomes: 'kept' },
  'words before it': { spoil: ({ middle }) => `Sure! Here is the missing code:\n\n${middle}` },
  'words after it': { spoil: ({ middle }) => `${middle}\n\nThis function returns the sum of all numbers.` },
  'an explanation after it': { spoil: ({ middle }) => `${middle}\n\nExplanation: the loop visits each number once.` },
  'words in place of it': { spoil: () => 'I will complete the code for you. Here is what it does.', becomes: 'nothing' },
  'thinking before it': {
    spoil: ({ middle }) => `<think>\nThe user wants the next line.\n</think>\n\n${middle}`,
    becomes: 'kept',
  },
  'the end of thinking before it': { spoil: ({ middle }) => `I should return it.\n</think>\n${middle}`, becomes: 'kept' },
  'thinking without an end': { spoil: () => '<think>\nThe user wants the next line.\nLet me see', becomes: 'nothing' },
  'the next line again': { spoil: (cut) => (isWholeLine(cut) ? `${cut.middle}\n${nextLines(cut, 1)}` : undefined) },
  'the next three lines again': { spoil: (cut) => (isWholeLine(cut) ? `${cut.middle}\n${nextLines(cut, 3)}` : undefined) },
  'the next lines in place of it': {
    spoil: (cut) => (isWholeLine(cut) && lineStart(cut).trim() === '' ? nextLines(cut, 2).trimStart() : undefined),
  },
  'the whole suffix again': { spoil: ({ middle, suffix }) => middle + suffix },
  'the rest of the line again': {
    spoil: ({ middle, suffix }) => (suffix.startsWith('\n') ? undefined : middle + (suffix.split('\n')[0] ?? '')),
  },
  'the beginning of the line again': {
    spoil: (cut) => (/\w\W+\w/.test(lineStart(cut)) ? lineStart(cut) + cut.middle : undefined),
  },
  'the indentation again': {
    spoil: (cut) =>
      cut.kind === 'line' && lineStart(cut).trim() === '' && lineStart(cut) !== '' ? lineStart(cut) + cut.middle : undefined,
  },
  'the line above again': {
    spoil: (cut) => {
      const above = cut.prefix
        .split('\n')
        .slice(0, -1)
        .findLast((line) => line.trim() !== '');
      return above === undefined || lineStart(cut).trim() !== ''
        ? undefined
        : `${above.trimStart()}\n${lineStart(cut)}${cut.middle}`;
    },
  },
  'its last line over and over': { spoil: (cut) => cut.middle + `\n${lastLine(cut)}`.repeat(20) },
  'a word over and over': { spoil: () => ` and again`.repeat(30) },
  'blanks at its end': { spoil: (cut) => (isWholeLine(cut) ? `${cut.middle}   \n  \n\n` : undefined), becomes: 'kept' },
  'line ends of Windows': { spoil: ({ middle }) => middle.replaceAll('\n', '\r\n'), becomes: 'kept' },
  'tabs for blanks': { spoil: ({ middle }) => (middle.includes('\n    ') ? middle.replaceAll('    ', '\t') : undefined) },
  'another function': {
    spoil: (cut) => (isWholeLine(cut) ? `${cut.middle}\n\n\ndef another():\n    return 1\n` : undefined),
    becomes: 'kept',
  },
  'a blank before it': {
    spoil: ({ prefix, middle }) => (/\s$/.test(prefix) && /^[^\s#]/.test(middle) ? ` ${middle}` : undefined),
    family: 'codestral',
    becomes: 'kept',
  },
  'the markers of instructions': { spoil: ({ middle }) => `${middle} [/INST] ${otherFile}` },
};

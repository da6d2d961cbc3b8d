import { commented } from './contextComments';
import type { FimFamily, FimParts } from './fimFamily';

/** Tokens of a format, with additional stop sequences. */
interface Format {
  name: string;
  prompt: (parts: FimParts) => string;
  stop: readonly string[];
  suffixFirst?: true;
}

/** Tokens that Qwen coders, CodeGemma and newer Granite models share. */
const piped = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'] as const;
/** Tokens of StarCoder. Many later models use the same tokens. */
const plain = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'] as const;

/**
 * Formats the snippets of other files, each after a token and its
 * path. If there are snippets, the path of the current file follows.
 */
function named({ path, context }: FimParts, token: string): string {
  const files = context.map((file) => `${token}${file.path}\n${withLineEnd(file.text)}`).join('');
  return files === '' ? '' : `${files}${token}${path}\n`;
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

const formats = {
  // QwenLM/Qwen2.5-Coder, README: file-level and repository-level
  // completion. Qwen3-Coder, Qwen 3.5 and Qwen 3.6 use the same tokens.
  qwen: {
    name: 'qwen',
    prompt: (parts) => `${named(parts, '<|file_sep|>')}<|fim_prefix|>${parts.prefix}<|fim_suffix|>${parts.suffix}<|fim_middle|>`,
    stop: [
      ...piped,
      ...['<|fim_pad|>', '<|repo_name|>', '<|file_sep|>', '<|endoftext|>', '<|cursor|>', '<|im_start|>', '<|im_end|>'],
    ],
  },
  // meta-llama/codellama, llama/generation.py, infilling_prompt_tokens: the spaces belong to the format.
  codeLlama: {
    name: 'codellama',
    prompt: (parts) => `<PRE> ${commented(parts)}${parts.prefix} <SUF>${parts.suffix} <MID>`,
    stop: ['<PRE>', '<SUF>', '<MID>', '<EOT>'],
  },
  // deepseek-ai/DeepSeek-Coder, README: code insertion. Files of a repository begin with their path as a comment.
  deepSeek: {
    name: 'deepseek',
    prompt: (parts) => {
      const files = parts.context.map(({ path, text }) => `#${path}\n${withLineEnd(text)}`).join('');
      const own = files === '' ? '' : `#${parts.path}\n`;
      return `<｜fim▁begin｜>${files}${own}${parts.prefix}<｜fim▁hole｜>${parts.suffix}<｜fim▁end｜>`;
    },
    stop: ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>', '<｜begin▁of▁sentence｜>', '<｜end▁of▁sentence｜>', '<|EOT|>'],
  },
  // StarCoder 2 paper (arXiv 2402.19173), section 5.1: a token precedes
  // each file of a repository. CodeQwen 1.5 uses the same format.
  starCoder2: {
    name: 'starcoder2',
    prompt: (parts) => {
      const files = parts.context.map(({ path, text }) => `<file_sep>${path}\n${withLineEnd(text)}`).join('');
      const own = files === '' ? '' : `${parts.path}\n`;
      const separator = files === '' ? '' : '<file_sep>';
      return `${files}${separator}<fim_prefix>${own}${parts.prefix}<fim_suffix>${parts.suffix}<fim_middle>`;
    },
    stop: [...plain, '<fim_pad>', '<repo_name>', '<file_sep>', '<|endoftext|>', '<|im_end|>'],
  },
  // bigcode/starcoder, model card: `<filename>` precedes the path. Granite's first code models use the same tokens.
  starCoder: {
    name: 'starcoder',
    prompt: (parts) => `${named(parts, '<filename>')}<fim_prefix>${parts.prefix}<fim_suffix>${parts.suffix}<fim_middle>`,
    stop: [...plain, '<fim_pad>', '<reponame>', '<filename>', '<gh_stars>', '<|endoftext|>', '<|end|>'],
  },
  // stabilityai/stable-code-3b, model card. Yi-Coder, Refact and Replit use the same three tokens and have no file token.
  plain: {
    name: 'plain',
    prompt: (parts) => `<fim_prefix>${commented(parts)}${parts.prefix}<fim_suffix>${parts.suffix}<fim_middle>`,
    stop: [...plain, '<fim_pad>', '<file_sep>', '<repo_name>', '<|endoftext|>', '<|im_end|>'],
  },
  // bigcode/santacoder, model card: its tokens contain hyphens instead of the underscores of later models.
  santaCoder: {
    name: 'santacoder',
    prompt: (parts) => `<fim-prefix>${commented(parts)}${parts.prefix}<fim-suffix>${parts.suffix}<fim-middle>`,
    stop: ['<fim-prefix>', '<fim-suffix>', '<fim-middle>', '<fim-pad>', '<|endoftext|>'],
  },
  // google/codegemma-2b, model card: `<|file_separator|>` separates files.
  codeGemma: {
    name: 'codegemma',
    prompt: (parts) => {
      const files = parts.context.map(({ path, text }) => `${path}\n${withLineEnd(text)}<|file_separator|>`).join('');
      const own = files === '' ? '' : `${parts.path}\n`;
      return `${files}${own}<|fim_prefix|>${parts.prefix}<|fim_suffix|>${parts.suffix}<|fim_middle|>`;
    },
    stop: [...piped, '<|file_separator|>', '<start_of_turn>', '<end_of_turn>', '<eos>'],
  },
  // mistralai/mistral-inference, encode_fim in mistral_common: the suffix comes first, and the prefix has no end token.
  codestral: {
    name: 'codestral',
    prompt: (parts) => {
      const files = parts.context.map(({ path, text }) => `+++++ ${path}\n${withLineEnd(text)}\n`).join('');
      const own = files === '' ? '' : `+++++ ${parts.path}\n`;
      return `[SUFFIX]${parts.suffix}[PREFIX]${files}${own}${parts.prefix}`;
    },
    stop: ['[PREFIX]', '[SUFFIX]', '[MIDDLE]', '\n+++++ '],
    suffixFirst: true,
  },
  // ibm-granite/granite-3.3-8b-base, model card.
  granite: {
    name: 'granite',
    prompt: (parts) => `${named(parts, '<|filename|>')}<|fim_prefix|>${parts.prefix}<|fim_suffix|>${parts.suffix}<|fim_middle|>`,
    stop: [...piped, '<|fim_pad|>', '<|filename|>', '<|reponame|>', '<|end_of_text|>', '<|start_of_role|>'],
  },
  // ByteDance-Seed/Seed-Coder, technical report (arXiv 2506.03524), section on fill-in-the-middle: suffix, prefix, middle.
  seedCoder: {
    name: 'seed-coder',
    prompt: (parts) => `<[fim-suffix]>${parts.suffix}<[fim-prefix]>${commented(parts)}${parts.prefix}<[fim-middle]>`,
    stop: ['<[fim-suffix]>', '<[fim-prefix]>', '<[fim-middle]>', '<[end▁of▁sentence]>', '<[begin▁of▁sentence]>'],
    suffixFirst: true,
  },
  // JetBrains/Mellum-4b-base, model card: `<filename>` precedes each file. Then suffix, prefix and middle follow.
  mellum: {
    name: 'mellum',
    prompt: (parts) => `${named(parts, '<filename>')}<fim_suffix>${parts.suffix}<fim_prefix>${parts.prefix}<fim_middle>`,
    stop: [...plain, '<fim_pad>', '<filename>', '<reponame>', '<|endoftext|>', '<|im_end|>'],
    suffixFirst: true,
  },
  // zai-org/GLM-4.5, tokenizer, and Zed's crates/edit_prediction/src/fim.rs.
  glm: {
    name: 'glm',
    prompt: (parts) => `<|code_prefix|>${commented(parts)}${parts.prefix}<|code_suffix|>${parts.suffix}<|code_middle|>`,
    stop: ['<|code_prefix|>', '<|code_suffix|>', '<|code_middle|>', '<|endoftext|>', '<|user|>', '<|assistant|>'],
  },
  // THUDM/CodeGeeX4, guides/Infilling_guideline.md: the format is inside a chat turn, and the suffix comes first.
  codeGeeX: {
    name: 'codegeex',
    prompt: ({ prefix, suffix, path, context }) => {
      const files = context.map((file) => `###REFERENCE:\n###PATH:${file.path}\n${withLineEnd(file.text)}`).join('');
      const head = `<|user|>\n${files}###PATH:${path}\n###LANGUAGE:\n###MODE:BLOCK\n`;
      return `${head}<|code_suffix|>${suffix}<|code_prefix|>${prefix}<|code_middle|><|assistant|>\n`;
    },
    stop: ['<|user|>', '<|assistant|>', '<|code_suffix|>', '<|code_prefix|>', '<|code_middle|>', '<|endoftext|>'],
    suffixFirst: true,
  },
} as const satisfies Record<string, Format>;

export type FimFormat = keyof typeof formats;

export function familyWith(format: FimFormat): FimFamily {
  const found: Format = formats[format];
  return { ...found, suffixFirst: found.suffixFirst ?? false };
}

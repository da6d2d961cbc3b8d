import type { CleaningRule } from './rawCompletion';

/** Matches special tokens of models, which otherwise occur only in code about models. */
const tokens = new RegExp(
  [
    '<\\|(?:fim|file|repo|im|end|endoftext|eot|eom|start|begin|cursor|user_cursor|assistant|user|system|code|filename|reponame)[\\w-]*\\|>',
    '<｜[^｜\\n]{1,40}｜>',
    '<fim[-_](?:prefix|suffix|middle|pad)>',
    '<\\[(?:fim-(?:prefix|suffix|middle)|(?:begin|end)▁of▁sentence)\\]>',
    '<(?:PRE|SUF|MID|EOT|END)>',
    '\\[(?:PREFIX|SUFFIX|MIDDLE)\\]',
    '<(?:file_sep|repo_name|repo_continuation|gh_stars|jupyter_\\w+|issue_\\w+|commit_\\w+|empty_output)>',
    '<(?:start_of_turn|end_of_turn)>',
    '\\[/?INST\\]',
    '<<\\/?SYS>>',
  ].join('|'),
  'g',
);
/** Matches tokens that may also be markup. They count only at the end of a text, or for certain families. */
const lastTokens = /(?:<\/?s>|<eos>|<bos>|<pad>|<unk>|<EOS>)\s*$/;
const fileTokens = /<(?:filename|reponame)>/g;
const fileTokenFamilies: readonly (string | null)[] = ['starcoder', 'mellum', 'starcoder2', 'plain'];
/** Matches a truncated token at the end of a text. */
const brokenToken = /<(?:\||｜|\[)?(?:fim|file_|endof|repo_|im_)[\w▁-]*(?:\||｜|\])?$/;
/** Matches tokens that models repeat at the beginning. */
const middleToken = /^\s*(?:<\|?fim[-_]middle\|?>|<｜fim▁end｜>|<\[fim-middle\]>|<MID> ?|<\|code_middle\|>|\[MIDDLE\])/;

/** Truncates a text at the first special token. Ignores tokens that also occur in the document. */
export const withoutTokens: CleaningRule = (text, { prefix, suffix, family }) => {
  const begun = text.replace(middleToken, '');
  const isOfDocument = (token: string): boolean => prefix.includes(token) || suffix.includes(token);
  const ends = [...begun.matchAll(tokens)];
  if (fileTokenFamilies.includes(family)) ends.push(...begun.matchAll(fileTokens));
  const first = Math.min(...ends.filter(([token]) => !isOfDocument(token)).map(({ index }) => index));
  const cut = Number.isFinite(first) ? begun.slice(0, first) : begun;
  const last = lastTokens.exec(cut)?.[0].trim();
  const plain = last === undefined || isOfDocument(last) ? cut : cut.replace(lastTokens, '');
  return plain.replace(brokenToken, '');
};

const thought = /^\s*<(think|thinking|thought|reasoning|analysis)>[\s\S]*?(?:<\/\1>(?:[ \t]*\n)*|$)/;
const thoughtEnd = /^[\s\S]*?<\/(?:think|thinking|thought|reasoning)>(?:[ \t]*\n)*/;

/** Removes the model's thinking before a response. */
export const withoutThinking: CleaningRule = (text, { prefix, suffix }) => {
  if (/<\/?(?:think|thought|reasoning|analysis)/.test(prefix + suffix)) return text;
  const rest = thought.test(text) ? text.replace(thought, '') : text;
  return thoughtEnd.test(rest) ? rest.replace(thoughtEnd, '') : rest;
};

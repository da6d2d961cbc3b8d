import { familyWith, type FimFormat } from './fimFormats';
import type { FimFamily } from './fimFamily';

export type { FimContext, FimFamily } from './fimFamily';

/** Rule that recognizes the models of a family by their architecture and name. */
interface Row {
  format: FimFormat;
  architecture: RegExp;
  name: RegExp;
  /** Matches similar names of models that were not trained for fill-in-the-middle, or were trained with another format. */
  not?: RegExp;
}

/**
 * Rules in order of priority. The first match applies. Models are still
 * tested before use, because a name does not prove how a model was trained.
 */
const rows: readonly Row[] = [
  { format: 'starCoder2', architecture: /^qwen2$/, name: /codeqwen/ },
  {
    format: 'qwen',
    architecture: /^qwen/,
    name: /qwen[-_.\d]*coder|qwen-?3\.[56]/,
    not: /next-?edit|instinct|zeta|deepcoder/,
  },
  { format: 'deepSeek', architecture: /^(llama|deepseek\d*)$/, name: /deepseek-?coder/ },
  { format: 'codeLlama', architecture: /^llama$/, name: /code-?llama/, not: /python|34b|70b|phind/ },
  { format: 'codestral', architecture: /^(llama|mistral\d*)$/, name: /codestral/, not: /mamba/ },
  { format: 'santaCoder', architecture: /^(starcoder|gpt)/, name: /santacoder/ },
  { format: 'starCoder2', architecture: /^starcoder2$/, name: /star-?coder-?2|starcoder/ },
  { format: 'starCoder', architecture: /^(starcoder|llama)$/, name: /star-?coder|granite.*code/ },
  { format: 'granite', architecture: /^granite/, name: /granite-?(3\.[3-9]|4)/ },
  { format: 'codeGemma', architecture: /^gemma$/, name: /code-?gemma/ },
  { format: 'plain', architecture: /^stablelm$/, name: /stable-?code/ },
  { format: 'plain', architecture: /^(llama|refact|mpt|codeshell)$/, name: /yi-?coder|refact|replit-?code|codeshell/ },
  { format: 'seedCoder', architecture: /^llama$/, name: /seed-?coder/, not: /zeta/ },
  { format: 'mellum', architecture: /^llama$/, name: /mellum/ },
  { format: 'codeGeeX', architecture: /^(chatglm|glm4?)$/, name: /codegeex/ },
  { format: 'glm', architecture: /^(chatglm|glm)/, name: /glm-?4\.[5-9]/ },
];

/**
 * Returns the family of a model by its architecture (if known) and name. Returns
 * undefined for a model that is not known to support fill-in-the-middle.
 */
export function findFimFamily(architecture: string | undefined, name: string): FimFamily | undefined {
  const kind = architecture?.toLowerCase() ?? '';
  const plainName = lastPart(name);
  const row = rows.find(
    (one) => one.name.test(plainName) && one.not?.test(plainName) !== true && (kind === '' || one.architecture.test(kind)),
  );
  return row && familyWith(row.format);
}

/** Returns the name of a model without host, owner and folders: `hf.co/owner/Name-GGUF:Q4_K_M` becomes `name-gguf:q4_k_m`. */
function lastPart(name: string): string {
  return name.toLowerCase().split('/').at(-1) ?? '';
}

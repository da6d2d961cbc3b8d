import type { FimFamily } from './fimFamilies';
import { sha256Hex } from '../../utils/sha256';

/**
 * Creates a family from the user's template with `{prefix}`, `{suffix}` and
 * optionally `{path}`. The tokens in the template become stop sequences.
 */
export function customFamily(template: string): FimFamily {
  const tokens = template.match(/<[^<>{}\n]{1,40}>|\[[A-Z_]{2,20}\]/g) ?? [];
  return {
    name: `own-${sha256Hex(template).slice(0, 8)}`,
    prompt: ({ prefix, suffix, path }) =>
      template.replace(/\{(prefix|suffix|path)\}/g, (_, part: 'prefix' | 'suffix' | 'path') => ({ prefix, suffix, path })[part]),
    stop: [...new Set(tokens)],
    suffixFirst: template.indexOf('{suffix}') < template.indexOf('{prefix}'),
  };
}

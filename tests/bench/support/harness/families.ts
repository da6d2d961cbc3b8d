import type { SlipKind } from '../../../unit/agent/tools/edits/editSlips';
import { dialects } from '../../../unit/agent/support/callDialects';
import type { Dialect } from '../../../unit/agent/support/writeCalls';

/**
 * Way in which a call fails: a required argument is missing, the JSON of a printed call is damaged, the server cannot read the call, or it
 * never ends.
 */
export type BrokenForm = 'missing' | 'garbled' | 'unread' | 'endless';

/** Calling conventions and mistakes of a model family. */
export interface Family {
  name: string;
  /** False if the model's template does not support tools, so that all its calls are text. */
  hasTools: boolean;
  /** Form of its calls as text. `prints`: 1 if all calls are text, 2 for every second, and so on. */
  dialect: Dialect;
  prints: number;
  slip: SlipKind;
  broken: BrokenForm;
  /** True if it follows hints in call results. All families copy lines that they are shown, and do what a message requests. */
  heeds: boolean;
  /** False if it answers in prose when `format` requires JSON, as some thinking models do. */
  keepsFormat: boolean;
}

const family = (
  name: string,
  calls: { form: string; prints: number; hasTools?: boolean },
  wrong: { slip: SlipKind; broken: BrokenForm },
  { heeds, keepsFormat = true }: { heeds: boolean; keepsFormat?: boolean },
): Family => {
  const dialect = dialects.find((one) => one.name === calls.form);
  if (dialect === undefined) throw new Error(`There is no dialect ${calls.form}`);
  return { name, hasTools: calls.hasTools ?? true, dialect, prints: calls.prints, ...wrong, heeds, keepsFormat };
};

/** Families with their forms of printed calls, from published chat templates. Their slips are assigned, not measured. */
export const families: readonly Family[] = [
  family('Qwen 2.5', { form: 'plain JSON', prints: 1 }, { slip: 'blanks', broken: 'garbled' }, { heeds: false }),
  family('Qwen 3 Coder', { form: 'Qwen Coder', prints: 2 }, { slip: 'blankLine', broken: 'missing' }, { heeds: true }),
  family('Llama 3', { form: 'Llama', prints: 3 }, { slip: 'numbers', broken: 'missing' }, { heeds: false }),
  family('Llama 4', { form: 'Llama 4', prints: 2 }, { slip: 'character', broken: 'missing' }, { heeds: true }),
  family('Mistral', { form: 'Mistral', prints: 2 }, { slip: 'escapes', broken: 'unread' }, { heeds: true }),
  family('DeepSeek', { form: 'DeepSeek', prints: 1, hasTools: false }, { slip: 'lineEnds', broken: 'garbled' }, { heeds: true }),
  family(
    'Gemma',
    { form: 'JSON in a fence', prints: 1, hasTools: false },
    { slip: 'quotes', broken: 'missing' },
    { heeds: true },
  ),
  family('Granite', { form: 'Granite', prints: 3 }, { slip: 'blankLine', broken: 'endless' }, { heeds: false }),
  family('gpt-oss', { form: 'gpt-oss', prints: 3 }, { slip: 'quotes', broken: 'unread' }, { heeds: true, keepsFormat: false }),
  family('Phi 4', { form: 'Phi 4 mini', prints: 1 }, { slip: 'numbers', broken: 'garbled' }, { heeds: false }),
  family('GLM', { form: 'GLM', prints: 2 }, { slip: 'blanks', broken: 'missing' }, { heeds: true }),
  family('LFM2', { form: 'LFM2', prints: 1 }, { slip: 'character', broken: 'missing' }, { heeds: false }),
];

import { t } from '../../../../utils/l10n';
import type { Slip } from './reading';

const words: Readonly<Record<Slip, string>> = {
  indentation: 'by its words; its spaces are different in the file',
  blankLine: 'without the blank lines around it',
  spaces: 'by its words; the blanks inside its lines are different in the file',
  quotes: 'with the quotes and dashes of the file; the given ones are other characters',
  escapes: 'with tabs, quotes or line ends in place of \\t, \\" or \\n. Do not escape them',
  numbers: 'without line numbers, which are no part of the file',
  character: 'although one character of it is wrong; what is in the file was kept. Check the result',
};

/** Returns the note for the model about the copying error that was fixed. */
export function slipNote(subject: string, slip: Slip): string {
  return `${subject} was found ${words[slip]}.`;
}

/** Returns the result details with the fixed errors. Indentation errors are not listed. */
export function correctedDetails(slips: readonly Slip[]): { corrected?: string } {
  const names = slips.filter((slip) => slip !== 'indentation').map((slip) => nameSlip(slip));
  return names.length === 0 ? {} : { corrected: t('corrected: {0}', names.join(', ')) };
}

function nameSlip(slip: Exclude<Slip, 'indentation'>): string {
  switch (slip) {
    case 'blankLine':
      return t('blank lines');
    case 'spaces':
      return t('spaces');
    case 'quotes':
      return t('quotes or dashes');
    case 'escapes':
      return t('escaped characters');
    case 'numbers':
      return t('line numbers');
    case 'character':
      return t('one character');
  }
}

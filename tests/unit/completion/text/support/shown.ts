import { cleanCompletion } from '../../../../../src/completion/text/cleanCompletion';
import { fitToTail } from '../../../../../src/completion/text/closers';
import type { Cut } from './cuts';

/** Returns the text that is shown for a model's answer, or undefined if none is shown. */
export function shown({ kind, prefix, suffix }: Cut, raw: string, family: string | null = null): string | undefined {
  const text = cleanCompletion({ raw, prefix, suffix, languageId: 'python', multiline: kind === 'lines', family });
  if (text === undefined) return undefined;
  const fitted = fitToTail(text, { before: prefix, after: suffix, languageId: 'python' });
  const end = fitted.text.slice(fitted.text.length - fitted.replaces);
  return fitted.replaces > 0 && suffix.startsWith(end) ? fitted.text.slice(0, -fitted.replaces) : fitted.text || undefined;
}

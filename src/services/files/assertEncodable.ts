import { phrase } from '../../utils/l10n';
import { damageIn } from '../../utils/text/textFile';
import { FileError } from './fileError';
import type { TextState } from './fileState';

/**
 * Throws `FileError` `notEncodable` if a file cannot store a text. Either the file's encoding lacks a character, or the text has
 * more U+FFFD or lone surrogates than `former`. These additional characters indicate wrong decoding.
 */
export async function assertEncodable({ target, document }: TextState, text: string, former: string): Promise<void> {
  if (damageIn(text) > damageIn(former)) {
    throw new FileError(
      'notEncodable',
      phrase(
        'The new text of {0} contains U+FFFD or half of a character, which the file did not have, so nothing was changed. Write the intended character, or an escape sequence for it.',
        target.shown,
      ),
    );
  }
  const missing = await document?.lacking(text);
  if (document === undefined || missing === undefined) return;
  throw new FileError(
    'notEncodable',
    phrase(
      '{0} is encoded in {1}, which has no “{2}”, so nothing was changed. Use other characters, or save the file as UTF-8 first.',
      target.shown,
      document.encoding,
      missing,
    ),
  );
}

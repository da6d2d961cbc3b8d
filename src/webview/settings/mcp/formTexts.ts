import type { McpFormProblem } from '../../../protocol/forms/mcpServerForm';
import { visibleLine } from '../../../protocol/text/visibleText';
import { t } from '../../translate';

/** Returns a problem of the form in words for a person. */
export function problemText({ field, code, about }: McpFormProblem): string {
  const named = visibleLine(about);
  switch (code) {
    case 'nameMissing':
      return t('Enter a name.');
    case 'nameUnfit':
      return t(
        'Begin the name with a letter or digit. It may have letters, digits, spaces and . _ - / @, at most 60 characters.',
      );
    case 'nameTaken':
      return t('Another server is named {0}. Enter another name.', named);
    case 'commandMissing':
      return t('Enter the program that starts the server, such as npx.');
    case 'commandHasArguments':
      return t('Enter the program alone, and its arguments below, one per line.');
    case 'folderRelative':
      return t('Enter the whole path of a folder, or begin with {0}.', '${workspaceFolder}');
    case 'addressMissing':
      return t('Enter the address of the server.');
    case 'addressUnfit':
      return t('Enter an address that begins with http:// or https://.');
    case 'variableUnfit':
      return named === '' ? t('Enter a name for each variable.') : t('{0} cannot be the name of a variable.', named);
    case 'headerUnfit':
      return named === '' ? t('Enter a name for each header.') : t('{0} cannot be sent as a header.', named);
    case 'namedTwice':
      return field === 'env' ? t('The variable {0} is there twice.', named) : t('The header {0} is there twice.', named);
  }
}

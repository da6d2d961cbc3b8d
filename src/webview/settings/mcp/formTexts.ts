import type { McpFormProblem } from '../../../protocol/forms/mcpServerForm';
import { visibleLine } from '../../../protocol/text/visibleText';
import { t } from '../../translate';

export function formProblemText({ field, code, about }: McpFormProblem): string {
  const named = visibleLine(about);
  switch (code) {
    case 'nameMissing':
      return t('Enter a name.');
    case 'nameUnfit':
      return t('Start the name with a letter or digit. Use letters, digits, spaces and . _ - / @, at most 60 characters.');
    case 'nameTaken':
      return t('A server named {0} already exists. Enter another name.', named);
    case 'commandMissing':
      return t('Enter the program that starts the server, such as npx.');
    case 'commandHasArguments':
      return t('Enter only the program here. Enter its arguments below, one per line.');
    case 'folderRelative':
      return t('Enter the absolute path of a folder, or a path that starts with {0}.', '${workspaceFolder}');
    case 'addressMissing':
      return t('Enter the address of the server.');
    case 'addressUnfit':
      return t('Enter an address that starts with http:// or https://.');
    case 'variableUnfit':
      return named === '' ? t('Enter a name for each variable.') : t('{0} is not a valid variable name.', named);
    case 'headerUnfit':
      return named === '' ? t('Enter a name for each header.') : t('{0} cannot be sent as a header.', named);
    case 'namedTwice':
      return field === 'env' ? t('The variable {0} appears twice.', named) : t('The header {0} appears twice.', named);
  }
}

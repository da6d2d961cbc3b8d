import type { ToolContext } from '../../agent/tools/kernel/tool';
import { readForm, type FormField } from '../../protocol/forms/formField';
import { t } from '../../utils/l10n';
import type { AnswerForm } from '../server/serverConnection';
import { cleanLine } from './cleanText';

/**
 * Returns a handler that lets the user fill in a form during a call. Resolves with null if
 * the user declines or the input is invalid.
 */
export function answerForm(server: string, { ask }: Pick<ToolContext, 'ask'>): AnswerForm {
  return async ({ message, fields }) => {
    const question = t('The MCP server {0} asks: {1}', cleanLine(server, 60), cleanLine(message, 1000));
    const yes = t('Yes');
    const no = t('No');
    if (fields.length === 0) return (await ask({ question, options: [yes, no] })) === yes ? {} : null;
    const answer = await ask({ question, options: [], fields: fields.map(shownField) });
    return answer === '' ? null : readForm(fields, answer);
  };
}

/** Returns a field with sanitized texts. Values are unchanged. */
function shownField(field: FormField): FormField {
  const options = field.options.slice(0, 50).map(({ value, title }) => ({ value, title: cleanLine(title || value, 100) }));
  return { ...field, title: cleanLine(field.title, 100), description: cleanLine(field.description, 300), options };
}

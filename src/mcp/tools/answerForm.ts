import type { ToolContext } from '../../agent/tools/kernel/tool';
import { t } from '../../utils/l10n';
import type { AnswerForm, FormField } from '../server/serverConnection';
import { cleanLine } from './cleanText';

const wordsOf = () => ({ yes: t('Yes'), no: t('No') });

/** Has a person fill in a form, field by field, while a call goes on. What they leave empty is not told; a required one ends it. */
export function answerForm(server: string, { ask }: Pick<ToolContext, 'ask'>): AnswerForm {
  return async ({ message, fields }) => {
    const values: Record<string, unknown> = {};
    const from = t('The MCP server {0} asks: {1}', cleanLine(server, 60), cleanLine(message, 1000));
    if (fields.length === 0) return (await confirm(from, ask)) ? {} : null;
    for (const field of fields) {
      const value = valueOf(field, await ask({ question: `${from}\n\n${titleOf(field)}`, options: optionsOf(field) }));
      if (value === undefined && field.isRequired) return null;
      if (value !== undefined) values[field.name] = value;
    }
    return values;
  };
}

async function confirm(question: string, ask: ToolContext['ask']): Promise<boolean> {
  const { yes, no } = wordsOf();
  return (await ask({ question, options: [yes, no] })) === yes;
}

function titleOf({ title, description, isRequired }: FormField): string {
  const words = `${cleanLine(title, 100)}${description === '' ? '' : `: ${cleanLine(description, 300)}`}`;
  return isRequired ? words : t('{0} (may be left empty)', words);
}

function optionsOf({ type, options }: FormField): string[] {
  const { yes, no } = wordsOf();
  if (type === 'boolean') return [yes, no];
  return options.slice(0, 20).map(({ value, title }) => cleanLine(title || value, 100));
}

/** Returns the answer in the type of the field; undefined for none, or one that does not fit. */
function valueOf(field: FormField, answer: string): unknown {
  if (answer === '') return undefined;
  switch (field.type) {
    case 'boolean':
      return answer === wordsOf().yes ? true : answer === wordsOf().no ? false : undefined;
    case 'number':
    case 'integer': {
      const value = Number(answer.replace(',', '.'));
      return Number.isFinite(value) ? (field.type === 'integer' ? Math.round(value) : value) : undefined;
    }
    case 'choice':
      return chosen(field, answer);
    case 'choices':
      return answer.split(',').flatMap((one) => chosen(field, one.trim()) ?? []);
    case 'text':
      return answer;
  }
}

function chosen({ options }: FormField, answer: string): string | undefined {
  return options.find(({ value, title }) => cleanLine(title || value, 100) === answer || value === answer)?.value;
}

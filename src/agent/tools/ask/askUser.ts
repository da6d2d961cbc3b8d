import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { t } from '../../../utils/l10n';
import { defineTool, type Tool } from '../kernel/tool';
import { readList, readItemText } from '../kernel/listShapes';
import { cutHead } from '../../../types/cutText';

const maxOptions = 10;
const maxOption = 200;
const maxQuestion = 4000;

const schema = z.object({
  question: z.string().min(1).describe('The question, in words that stand by themselves'),
  options: z.array(z.string()).optional().describe('Answers to choose from; the user may give another one'),
});

/** Asks the user a question and waits for the answer without a time limit. */
export function askUserTool(): Tool {
  return defineTool({
    name: 'ask_user',
    description:
      'Ask the user a question when the task cannot go on without their decision, and wait for the answer. Do not ask what you can find out yourself.',
    schema,
    aliases: {
      prompt: 'question',
      text: 'question',
      message: 'question',
      query: 'question',
      choices: 'options',
      answers: 'options',
      suggestions: 'options',
      alternatives: 'options',
    },
    adapt: adapted,
    isTimed: false,
    isOptional: true,
    alsoIn: ['plan'],
    effect: 'none',
    row: {
      family: 'other',
      titles: translatable({
        done: 'Asked you',
        running: 'Asking you a question',
        planned: 'Ask you',
        failed: 'Could not ask you',
        stopped: 'Did not ask you',
      }),
    },
    label: ({ question }) => question,
    run: async ({ question, options = [] }, { ask }) => {
      const answer = await ask({ question: shortened(question, maxQuestion), options: choices(options) });
      if (answer === '') {
        const content = 'The user did not answer. Decide by yourself what fits best, say so, and do not ask this again.';
        return { status: 'denied', content, summary: t('not answered') };
      }
      return { status: 'success', content: `The user answered: ${answer}`, summary: t('answered') };
    },
  });
}

function choices(options: readonly string[]): string[] {
  const texts = options.map((option) => shortened(option.replace(/\s+/g, ' ').trim(), maxOption)).filter((text) => text !== '');
  return [...new Set(texts)].slice(0, maxOptions);
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${cutHead(text, most)}…` : text;
}

/** Reads options in any shape that models write, including lists under alternative argument names. */
function adapted(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const list =
        Array.isArray(value) || /^(options|choices|answers|suggestions|alternatives)$/i.test(name) ? readList(value) : null;
      return [name, list === null ? value : list.map(readOption)];
    }),
  );
}

function readOption(option: unknown): unknown {
  if (typeof option === 'number' || typeof option === 'boolean') return String(option);
  if (typeof option === 'string') return option.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '');
  return readItemText(option, ['label', 'text', 'title', 'name', 'value', 'option', 'description']) ?? option;
}

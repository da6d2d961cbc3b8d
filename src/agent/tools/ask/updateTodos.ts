import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { countDone, type Todo } from '../../../protocol/todos';
import { t } from '../../../utils/l10n';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool } from '../kernel/tool';
import { readList, readItemText } from '../kernel/listShapes';
import { cutHead } from '../../../types/cutText';

const maxTodos = 50;
const maxText = 300;

const schema = z.object({
  todos: z
    .array(
      z.object({
        content: z.string().describe('What is to be done, in a few words'),
        status: z.enum(['pending', 'in_progress', 'completed']).describe('At most one is in_progress'),
      }),
    )
    .describe('The whole list in its order; it takes the place of the one before'),
});

/** Sets the todo list. The view shows it above the message input. */
export function updateTodosTool(): Tool {
  return defineTool({
    name: 'update_todos',
    description:
      'Set the list of steps of a task that takes several, and update it as they are done. The user sees it. Always give the whole list.',
    schema,
    aliases: { todoList: 'todos', items: 'todos', tasks: 'todos', list: 'todos', steps: 'todos', plan: 'todos' },
    adapt: adapted,
    isOptional: true,
    when: 'noPlan',
    effect: 'none',
    row: {
      family: 'other',
      titles: translatable({
        done: 'Updated the todos: {0}',
        running: 'Updating the todos: {0}',
        planned: 'Update the todos: {0}',
        failed: 'Could not update the todos',
        stopped: 'Did not update the todos',
      }),
      isSummaryInTitle: true,
    },
    label: ({ todos }) => summarize(todos.map(toTodo)),
    run: async ({ todos: given }) => {
      const todos = given.map(toTodo).filter(({ text }) => text !== '');
      if (todos.length > maxTodos)
        return failure({
          local: t('The list was not changed because it can have {0} entries at most.', maxTodos),
          english: `The list was not changed: it has ${todos.length} entries, and ${maxTodos} is the most.`,
        });
      const lines = todos.map(({ text, state }) => `${marks[state]} ${text}`);
      const content = lines.length === 0 ? 'The todo list is empty now.' : `The todo list is now:\n${lines.join('\n')}`;
      return Promise.resolve({ status: 'success', content, summary: summarize(todos), todos });
    },
  });
}

const marks: Readonly<Record<Todo['state'], string>> = { pending: '[ ]', in_progress: '[>]', completed: '[x]' };

function toTodo({ content, status }: z.output<typeof schema>['todos'][number]): Todo {
  const text = content.replace(/\s+/g, ' ').trim();
  return { text: text.length > maxText ? `${cutHead(text, maxText)}…` : text, state: status };
}

function summarize(todos: readonly Todo[]): string {
  return todos.length === 0 ? t('empty') : t('{0} of {1} done', countDone(todos), todos.length);
}

/** Reads entries in the forms that small models write: plain text, checklist lines, or objects with other property names. */
function adapted(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const list = readList(value);
      return [name, list === null ? value : list.map(readTodo)];
    }),
  );
}

function readTodo(entry: unknown): unknown {
  if (typeof entry === 'string') {
    const line = /^\s*(?:[-*+]|\d+[.)])?\s*(?:\[(.?)\])?\s*(.*?)\s*$/su.exec(entry);
    const mark = line?.[1] ?? '';
    return {
      content: line?.[2] ?? entry,
      status: /[xX✓✔]/u.test(mark) ? 'completed' : /[>~*-]/.test(mark) ? 'in_progress' : 'pending',
    };
  }
  const content = readItemText(entry, ['content', 'text', 'title', 'task', 'description', 'name', 'step', 'todo', 'item']);
  if (content === undefined) return entry;
  return { content, status: readStatus(entry as Record<string, unknown>) };
}

function readStatus(entry: Record<string, unknown>): unknown {
  for (const name of ['completed', 'done', 'isDone', 'checked', 'finished']) {
    if (typeof entry[name] === 'boolean') return entry[name] ? 'completed' : 'pending';
  }
  const status = readItemText(entry, ['status', 'state', 'progress']);
  switch (status?.toLowerCase().replace(/[\s_-]/g, '')) {
    case undefined:
    case '':
    case 'todo':
    case 'pending':
    case 'open':
    case 'notstarted':
    case 'new':
    case 'planned':
      return 'pending';
    case 'inprogress':
    case 'doing':
    case 'active':
    case 'current':
    case 'started':
    case 'wip':
    case 'working':
      return 'in_progress';
    case 'completed':
    case 'complete':
    case 'done':
    case 'finished':
    case 'closed':
      return 'completed';
    default:
      return status;
  }
}

/** Model scripts for the rows in the table of file operations, for clients in Node and Python. */

const call = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
const end = 'Done. [TASK_COMPLETE]';
const create = (path: string, content: string) => call('create_file', { path, content });
const replace = (path: string, oldText: string, newText: string) => call('replace_in_file', { path, oldText, newText });
const remove = (path: string) => call('delete_file', { path });
const command = (...lines: string[]) => call('run_terminal_command', { command: lines.join(' && ') });

/** Responses in a run that creates, modifies and deletes files with tools and with a command. */
export const fileOperations = [
  create('by-tool.txt', 'new\n'),
  create('ignored/by-tool.txt', 'new\n'),
  replace('main.py', 'old', 'new'),
  remove('old.py'),
  command(
    'echo new > by-command.txt && mkdir -p ignored && echo new > ignored/by-command.txt',
    'sed -i s/old/new/ sed.py && rm gone.py && ln -s main.py link',
  ),
  end,
];

export const ignoredNames = ['modified', 'deleted'].flatMap((deed) =>
  ['tool', 'command'].map((way) => `ignored/${deed}-by-${way}.txt`),
);
const [modifiedByTool = '', modifiedByCommand = '', deletedByTool = '', deletedByCommand = ''] = ignoredNames;

/** Responses in a run that creates ignored files with tools, and in a run that changes them. */
export const ignoredCreated = [...ignoredNames.map((name) => create(name, 'one\n')), end];
export const ignoredChanged = [
  replace(modifiedByTool, 'one', 'two'),
  remove(deletedByTool),
  command(`echo two > ${modifiedByCommand}`, `rm ${deletedByCommand}`),
  end,
];
export const nothing = [end];

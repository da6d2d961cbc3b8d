import { z } from 'zod';
import { httpUrl } from '../../types/httpAddress';

const text = z.string().max(32_768);
const pairs = z.array(z.object({ name: text, value: text })).max(200);

/** MCP server as entered in the form. Every text can contain `${…}`. */
export const mcpServerFormSchema = z.object({
  name: text,
  reach: z.discriminatedUnion('kind', [
    /** `cwd` is the working directory. Null means the first workspace folder. */
    z.object({
      kind: z.literal('stdio'),
      command: text,
      args: z.array(text).max(500),
      env: pairs,
      cwd: text.nullable(),
      isSandboxed: z.boolean(),
    }),
    z.object({ kind: z.literal('http'), url: text, headers: pairs }),
  ]),
});
export type McpServerForm = z.infer<typeof mcpServerFormSchema>;

/** Pattern of valid server names. They are prefixes of tool names. */
export const mcpServerName = /^[\p{L}\p{N}][\p{L}\p{N} ._/@-]{0,59}$/u;

export interface McpFormProblem {
  field: 'name' | 'command' | 'cwd' | 'env' | 'url' | 'headers';
  code:
    | 'nameMissing'
    | 'nameUnfit'
    | 'nameTaken'
    | 'commandMissing'
    | 'commandHasArguments'
    | 'folderRelative'
    | 'variableUnfit'
    | 'addressMissing'
    | 'addressUnfit'
    | 'headerUnfit'
    | 'namedTwice';
  /** The invalid name or value. Empty if the whole field is the problem. */
  about: string;
}

/** Lists the problems that prevent testing and saving, at most one per field. `taken` contains the names of other servers. */
export function mcpFormProblems({ name, reach }: McpServerForm, taken: readonly string[]): McpFormProblem[] {
  const all =
    reach.kind === 'stdio'
      ? [commandProblem(reach.command, reach.args), pairProblem('env', reach.env), folderProblem(reach.cwd)]
      : [addressProblem(reach.url), pairProblem('headers', reach.headers)];
  return [nameProblem(name, taken), ...all].filter((problem) => problem !== null);
}

function nameProblem(name: string, taken: readonly string[]): McpFormProblem | null {
  const of = (code: McpFormProblem['code']) => ({ field: 'name', code, about: name }) as const;
  if (name === '') return of('nameMissing');
  if (!mcpServerName.test(name)) return of('nameUnfit');
  return taken.includes(name) ? of('nameTaken') : null;
}

/** Detects a whole command line entered in place of the program. A program path may contain spaces. */
function commandProblem(command: string, args: readonly string[]): McpFormProblem | null {
  const of = (code: McpFormProblem['code']) => ({ field: 'command', code, about: command }) as const;
  if (command === '') return of('commandMissing');
  const [program = ''] = command.split(/\s/);
  return args.length === 0 && program !== command && !/[\\/$]/.test(program) ? of('commandHasArguments') : null;
}

function folderProblem(cwd: string | null): McpFormProblem | null {
  if (cwd === null || /^(\/|[a-z]:[\\/]|\\\\|\$\{)/i.test(cwd)) return null;
  return { field: 'cwd', code: 'folderRelative', about: cwd };
}

function addressProblem(url: string): McpFormProblem | null {
  if (url === '') return { field: 'url', code: 'addressMissing', about: '' };
  // Any part after the scheme may be a variable, including the port.
  const isFit = /^https?:\/\//i.test(url) && httpUrl(url.replace(/\$\{[^}]*\}/g, '1')) !== null;
  return isFit ? null : { field: 'url', code: 'addressUnfit', about: url };
}

const fitNames = { env: /^[^=\0\s][^=\0]*$/, headers: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/ } as const;

function pairProblem(field: 'env' | 'headers', rows: readonly { name: string; value: string }[]): McpFormProblem | null {
  const names = rows.map(({ name }) => (field === 'headers' ? name.toLowerCase() : name));
  const forbidden = field === 'headers' ? /[\0\r\n]/ : /\0/;
  const unfit = rows.find(({ name, value }) => !fitNames[field].test(name) || forbidden.test(value));
  if (unfit !== undefined) return { field, code: field === 'env' ? 'variableUnfit' : 'headerUnfit', about: unfit.name };
  const twice = rows.find((_row, index) => names.indexOf(names[index] ?? '') !== index);
  return twice === undefined ? null : { field, code: 'namedTwice', about: twice.name };
}

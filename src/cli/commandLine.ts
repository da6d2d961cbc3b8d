import { parseArgs } from 'node:util';
import { approvePolicies, type ApprovePolicy } from './approvalPolicy';
import { cliCommands, common, options, type OptionInfo, type OptionName } from './commandTable';
import { usageError } from './exitCodes';

export interface CommandLine {
  command: string;
  rest: readonly string[];
  values: Partial<Record<OptionName, string | boolean>>;
}

const parsing = Object.fromEntries(
  Object.entries(options).map(([name, info]: [string, OptionInfo]) => {
    const short = name === 'help' ? { short: 'h' } : {};
    return [name, { type: info.value === undefined ? ('boolean' as const) : ('string' as const), ...short }];
  }),
);

/** Parses the command line of a client. Throws `CliError`. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options: parsing });
  } catch (error) {
    // Remove the hint that Node.js appends, because it does not apply.
    throw usageError(error instanceof Error ? `${error.message.split('. ')[0]?.replace(/\.$/, '')}.` : 'Invalid arguments.');
  }
  const values = parsed.values as CommandLine['values'];
  const [command = 'help', ...rest] = parsed.positionals;
  const known = cliCommands.find(({ name }) => name === command);
  if (values.version === true || values.help === true || command === 'help') return { command, rest, values };
  if (known === undefined) throw usageError(`Unknown command: ${command}.`);
  for (const name of Object.keys(values) as OptionName[]) {
    if (![...known.options, ...common].includes(name)) throw usageError(`${command} does not take --${name}.`, command);
    const { choices }: OptionInfo = options[name];
    if (choices && !choices.includes(String(values[name])))
      throw usageError(`${String(values[name])} is not a value of --${name}. The values are ${choices.join(', ')}.`, command);
  }
  return { command, rest, values };
}

export function readOption(values: CommandLine['values'], name: OptionName): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

export function readPolicy(values: CommandLine['values']): ApprovePolicy | undefined {
  return approvePolicies.find((policy) => policy === values.approve);
}

/** Returns the only argument of a command. Throws `CliError`. */
export function onlyArgument({ command, rest }: CommandLine, what: string): string {
  const [only, extra] = rest;
  if (only === undefined) throw usageError(`${what} is missing.`, command);
  if (extra !== undefined) throw usageError(`${command} takes one ${what}.`, command);
  return only;
}

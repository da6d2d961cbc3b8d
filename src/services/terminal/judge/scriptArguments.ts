import { containers } from './parse/innerCommands';

/** Programs that run their standard input as code, in addition to shells and interpreters. */
const inputPrograms = new Set('psql mysql mariadb sqlite3 cqlsh mongosh mongo redis-cli sqlcmd clickhouse-client ssh'.split(' '));

/**
 * Options whose value is a file that the program runs or applies. Sources: the manuals of psql, mysql, sqlite3, cqlsh, sqlcmd,
 * clickhouse-client, kubectl and docker compose.
 */
const scriptOptions = new Map([
  ['psql', /^(-f|--file)$/],
  ['cqlsh', /^(-f|--file)$/],
  ['sqlite3', /^--?init$/],
  ['sqlcmd', /^(-i|--input-file)$/],
  ['clickhouse-client', /^--queries-file$/],
  ['kubectl', /^(-f|--filename)$/],
  ['oc', /^(-f|--filename)$/],
  ['docker', /^(-f|--file)$/],
  ['podman', /^(-f|--file)$/],
  ['docker-compose', /^(-f|--file)$/],
  ['ansible-playbook', /^(-i|--inventory|--inventory-file|-e|--extra-vars)$/],
]);
/** Matches database client commands that read a script: `\\i x.sql`, `source x.sql`, `.read x.sql`. */
const readCommand = /(?:^|[\s;])(?:\\ir?|\\\.|source|\.read)\s+([^\s;'"]+)/gi;

export function runsInput(program: string): boolean {
  return inputPrograms.has(program);
}

/**
 * Returns the arguments that name scripts: values of options, arguments
 * of commands such as `source`, and operands of `ansible-playbook`.
 */
export function namedScripts(program: string, args: readonly string[]): string[] {
  const option = scriptOptions.get(program);
  const values = args.flatMap((arg, index) => {
    const [name = '', value] = arg.split(/=(.*)/s);
    if (option?.test(name)) return [value ?? args[index + 1] ?? ''];
    // The value of a short option may follow without a blank.
    return option?.test(arg.slice(0, 2)) && /^-[^-]/.test(arg) ? [arg.slice(2)] : [];
  });
  const read = inputPrograms.has(program)
    ? args.flatMap((arg) => [...arg.matchAll(readCommand)].map(([, file]) => file ?? ''))
    : [];
  const positional = program === 'ansible-playbook' ? args.filter((arg) => !arg.startsWith('-')) : [];
  return [...values.map((value) => value.replace(/^@/, '')), ...read, ...positional];
}

/**
 * Returns the local files that the command of a new container names.
 * Resolves them through the folders that the call mounts into the container.
 */
export function mountedFiles(program: string, args: readonly string[]): string[] {
  if (!containers.has(program) || !args.some((arg) => /^(run|create)$/.test(arg))) return [];
  const mounts = args.flatMap((arg, index) => {
    const value = /^(-v|--volume|--mount)$/.test(args[index - 1] ?? '') ? arg : /^(?:-v|--volume=|--mount=)(.+)$/s.exec(arg)?.[1];
    return value === undefined ? [] : [parseMount(value)];
  });
  const words = args.flatMap((arg) => arg.split(/[\s;&|()<>'"]+/));
  return words.flatMap((word) =>
    mounts.flatMap(({ from, to }) => (to !== '' && `${word}/`.startsWith(`${to}/`) ? [`${from}${word.slice(to.length)}`] : [])),
  );
}

/** Reads the value of `--volume` (`from:to[:options]`) or `--mount` (`type=bind,source=from,target=to`). */
function parseMount(value: string): { from: string; to: string } {
  const field = (names: RegExp) =>
    value
      .split(',')
      .find((part) => names.test(part))
      ?.replace(names, '') ?? '';
  const [from, to] = value.includes('=')
    ? [field(/^(source|src)=/), field(/^(target|destination|dst)=/)]
    : [value.replace(/:\/.*$/s, ''), /:(\/[^:]*)/.exec(value)?.[1] ?? ''];
  return { from: from.replace(/\/$/, ''), to: to.replace(/\/$/, '') };
}

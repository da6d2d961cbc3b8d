/**
 * Programs that run a command from their arguments. Sources: the functions `shell` and `command` of https://gtfobins.github.io, and the
 * manuals of the programs.
 */
const starters = new Set(
  (
    'aa-exec aoss bwrap capsh catchsegv cgexec chokidar choom chpst chronic cpulimit cross-env cross-env-shell dbus-launch ' +
    'dbus-run-session distcc dotenv dumb-init elvish env-cmd envdir fakeroot faketime flock genie gosu grc hyperfine i386 ifne ksu ' +
    'linux32 linux64 logsave multitime nodemon nsenter numactl onchange openvt pexec pidstat prlimit proot proxychains proxychains4 reflex ' +
    'retry rlwrap runcon runuser s6-setuidgid sash scrot setarch setlock setpriv setuidgid sg softlimit ssh-agent sshpass ' +
    'start-stop-daemon su-exec systemd-inhibit systemd-run timelimit tini tmate torify torsocks tsocks unbuffer valgrind watchexec wsl ' +
    'xvfb-run'
  ).split(' '),
);
/** Programs with a subcommand or option that runs a command from their arguments. */
const startingWords = new Map<string, RegExp>([
  ...['aws-vault', 'cabal', 'chamber', 'direnv', 'stack', 'lerna'].map((program): [string, RegExp] => [program, /^exec$/]),
  ...['devbox', 'distrobox', 'toolbox', 'dotenvx', 'foreman', 'micromamba', 'mamba', 'pixi', 'railway', 'rye'].map(
    (program): [string, RegExp] => [program, /^(run|enter)$/],
  ),
  ['bun', /^(exec|x)$/],
  ['cargo', /^watch$/],
  ['gdb', /^--args$/],
  ['guix', /^(shell|environment)$/],
  ['ip', /^netns$/],
  ['nix', /^(develop|shell|run)$/],
  ['perf', /^(stat|record|trace)$/],
  ['task', /^execute$/],
  ['xdotool', /^exec$/],
]);
/** Matches the dynamic linker, which runs the program that its arguments name. */
const linker = /^ld(-linux[\w-]*)?\.so[\d.]*$/;
/** Maximum number of operands to try as the start of a command. */
const maxStarts = 8;
/** Matches an option whose value is a command, with the value if it is attached. */
const commandOption =
  /^(?:-[cx]|--?(?:run|exec|execute|command|cmd|call|shell|prepare|setup|cleanup|filter)|--[\w-]+-(?:command|cmd|hook|exec))(?:=(.+))?$/s;

/**
 * Returns the commands that a program may start. The options of these programs are unknown here, so each of
 * the first operands may be the beginning of the command.
 */
export function startedCommands(program: string, args: readonly string[]): string[][] {
  const word = startingWords.get(program);
  const isStarter = starters.has(program) || linker.test(program);
  const from = word === undefined ? -1 : args.slice(0, maxStarts).findIndex((arg) => word.test(arg));
  if (!isStarter && from < 0) return [];
  // `.` is a folder here, not the command that reads a script.
  const starts = args
    .flatMap((arg, index) => (index <= from || arg.startsWith('-') || arg === '.' ? [] : [index]))
    .slice(0, maxStarts);
  return starts.map((start) => args.slice(start));
}

/** Returns the texts that an unknown program may run: values of options that usually take a command, and operands that contain blanks. */
export function startedTexts(program: string, args: readonly string[]): string[] {
  const ofOptions = args.flatMap((arg, index) => {
    const match = commandOption.exec(arg);
    return match === null ? [] : [match[1] ?? args[index + 1] ?? ''];
  });
  const operands = startedCommands(program, args).map(([first = '']) => first);
  return [...new Set([...ofOptions, ...operands])].filter((text) => /\s/.test(text.trim())).slice(0, maxStarts);
}

/** Returns the words after `--`, which an unknown program may run as a command. */
export function afterDashes(args: readonly string[]): string[] {
  const at = args.indexOf('--');
  return at < 0 || args[at + 1]?.startsWith('-') === true ? [] : args.slice(at + 1);
}

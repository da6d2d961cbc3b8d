import { isWrapper, unprefixed, unwrapped } from './wrappers';
import type { Dialect, SimpleCommand } from './script';

/** Names a text that a program runs, and in which shell. */
export interface InnerText {
  text: string;
  dialect: Dialect;
}

export const shells = new Set('sh bash zsh dash ksh ash fish rbash csh tcsh busybox'.split(' '));
export const powershells = new Set(['pwsh', 'powershell']);
export const interpreters = new Set('python node perl ruby php lua deno bun tclsh r rscript osascript julia ghci irb'.split(' '));
/** Programs whose `exec` runs a command in a container. */
export const containers = new Set('docker podman nerdctl docker-compose podman-compose kubectl oc'.split(' '));
const downloaders = new Set(
  'curl wget fetch iwr invoke-webrequest irm invoke-restmethod aria2c http https lynx axel start-bitstransfer ftp certutil bitsadmin'.split(
    ' ',
  ),
);

/** Returns a program's name without its folder, its ending and its version. */
export function programOf(word: string | undefined): string {
  const name = (word ?? '')
    .replace(/^.*[\\/](?=.)/, '')
    .toLowerCase()
    .replace(/\.(exe|cmd|bat)$/, '');
  return name.replace(/^(python|pip|ruby|perl|php|lua|pypy)[\d.]+$/, '$1');
}

/** Returns the command that is left when everything that only runs another one is taken away. */
export function innermost(words: readonly string[]): readonly string[] {
  let rest: readonly string[] = unprefixed(words).words;
  // A chain longer than this is judged as too deep.
  for (let count = 0; count < 20 && isWrapper(programOf(rest[0])); count += 1)
    rest = unwrapped(programOf(rest[0]), rest.slice(1)).words;
  return rest;
}

/** Tells whether a command, or one in its substitutions, fetches something. */
export function isDownload(command: SimpleCommand): boolean {
  return downloaders.has(programOf(innermost(command.words)[0])) || command.inner.some(isDownload);
}

/** Puts commands before those whose output they read; of very many the nearest, and those that fetch something. */
export function withSources(made: readonly SimpleCommand[], before: readonly SimpleCommand[]): SimpleCommand[] {
  const all = [...[...made].reverse(), ...before];
  return all.length <= 50 ? all : [...all.slice(0, 50), ...all.slice(50).filter(isDownload).slice(0, 50)];
}

/** Returns the files that a download is written to. */
export function downloadedTo(command: SimpleCommand): string[] {
  if (!isDownload(command)) return [];
  const named = command.words.flatMap((word, index) =>
    /^(-[a-zA-Z]*[oO]|--output|--output-document|-OutFile)$/.test(word) ? [command.words[index + 1] ?? ''] : [],
  );
  const addresses = command.words
    .filter((word) => /^\w+:\/\//.test(word))
    .map((word) => word.replace(/[?#].*$/, '').replace(/^.*\//, ''));
  // These name the file last.
  if (/^(certutil|bitsadmin)$/.test(programOf(innermost(command.words)[0]))) named.push(command.words.at(-1) ?? '');
  return [...named, ...command.writesTo, ...addresses]
    .filter((name) => name !== '' && name !== '-')
    .map((name) => name.replace(/^\.\//, ''));
}

/** Returns the texts that a program takes as arguments and runs as commands. */
export function innerTexts(program: string, args: readonly string[]): InnerText[] {
  const bash = (text: string): InnerText => ({ text, dialect: 'bash' });
  if (shells.has(program) || program === 'su' || program === 'script' || program === 'runuser' || program === 'flock') {
    const at = args.findIndex((arg) => /^(-[a-zA-Z]*c|--command)$/.test(arg));
    const text = at < 0 ? undefined : args.slice(at + 1).find((arg) => !arg.startsWith('-'));
    const joined = args.find((arg) => arg.startsWith('--command='))?.slice('--command='.length);
    return [text, joined].filter((one) => one !== undefined).map(bash);
  }
  if (powershells.has(program)) {
    const encoded = args.findIndex((arg) => /^[-/]e(nc|ncodedcommand|c)?$/i.test(arg));
    if (encoded >= 0)
      return [{ text: Buffer.from(args[encoded + 1] ?? '', 'base64').toString('utf16le'), dialect: 'powershell' }];
    const at = args.findIndex((arg) => /^[-/]c(o|ommand)?$/i.test(arg));
    const rest =
      at < 0
        ? args.filter((arg, index) => !arg.startsWith('-') && !/^-(ExecutionPolicy|File|Version)$/i.test(args[index - 1] ?? ''))
        : args.slice(at + 1);
    return rest.length > 0 ? [{ text: rest.join(' '), dialect: 'powershell' }] : [];
  }
  switch (program) {
    case 'cmd': {
      const at = args.findIndex((arg) => /^\/[ckr]$/i.test(arg));
      return at < 0 ? [] : [{ text: args.slice(at + 1).join(' '), dialect: 'powershell' }];
    }
    case 'eval':
    case 'invoke-expression':
    case 'iex':
      return [
        { text: args.filter((arg) => !/^-Command$/i.test(arg)).join(' '), dialect: program === 'eval' ? 'bash' : 'powershell' },
      ];
    case 'trap':
      return args.slice(0, 1).map(bash);
    case 'alias':
      return args.map((arg) => bash(arg.replace(/^[^=]*=/, '')));
    case 'watch':
    case 'parallel':
    case 'entr': {
      const at = args.findIndex((arg, index) => !arg.startsWith('-') && !/^-[njwP]$/.test(args[index - 1] ?? ''));
      return at < 0 ? [] : [bash(args.slice(at).join(' '))];
    }
    case 'ssh': {
      const at = args.findIndex((arg, index) => !arg.startsWith('-') && !/^-[bcDEeFIiJLlmOopQRSWw]$/.test(args[index - 1] ?? ''));
      return at < 0 || at === args.length - 1 ? [] : [bash(args.slice(at + 1).join(' '))];
    }
    case 'npx':
    case 'npm': {
      const at = args.findIndex((arg) => arg === '-c' || arg === '--call');
      return at < 0 ? [] : args.slice(at + 1, at + 2).map(bash);
    }
    case 'awk':
    case 'gawk':
      return args.flatMap((arg) => [...arg.matchAll(/system\s*\(\s*"((?:[^"\\]|\\.)*)"/g)].map((match) => bash(match[1] ?? '')));
  }
  return [];
}

/** Returns commands that a program takes word by word: those behind `-exec` and `xargs`, with what they are run on. */
export function innerWords(program: string, args: readonly string[], sources: readonly SimpleCommand[]): string[][] {
  if (program === 'find' || program === 'fd' || program === 'fdfind') {
    const starts =
      program === 'find'
        ? args.slice(
            0,
            Math.max(
              0,
              args.findIndex((arg) => /^[-(!]/.test(arg)),
            ),
          )
        : [];
    const found = starts.length > 0 ? starts.map((start) => `${start.replace(/\/$/, '')}/{}`) : ['./{}'];
    const starters = args.flatMap((arg, index) => (/^(-(exec|ok)(dir)?|-x|-X|--exec|--exec-batch)$/.test(arg) ? [index] : []));
    // Each of them is high by itself already.
    return starters.slice(0, 50).map((index) => {
      const rest = args.slice(index + 1);
      const end = rest.findIndex((one) => one === ';' || one === '+');
      return rest.slice(0, end < 0 ? rest.length : end).flatMap((one) => (one === '{}' ? found : [one]));
    });
  }
  if (program === 'xargs') {
    const { words } = unwrapped(program, args);
    const given = sources.slice(0, 1).flatMap((source) => pipedWords(source));
    return words.length === 0 ? [] : [[...words.filter((word) => word !== '{}'), ...given]];
  }
  if (containers.has(program)) return commandInContainer(args);
  const [first = '', ...rest] = args;
  const isRun =
    (/^(bundle|npm|pnpm|yarn|opam|mise|nix)$/.test(program) && /^(exec?|x)$/.test(first)) ||
    (/^(uv|poetry|pipenv|pdm|hatch|conda|op|doppler|bun|deno)$/.test(program) && first === 'run');
  if (isRun || program === 'npx' || program === 'bunx' || program === 'pnpx') return [withoutOptions(isRun ? rest : args)];
  if (/^(python|py|php|ruby)$/.test(program)) {
    const at = args.findIndex((arg) => /^(-m|artisan|console|manage\.py)$/.test(arg.replace(/^.*[\\/]/, '')));
    if (at >= 0)
      return [args[at] === '-m' ? args.slice(at + 1) : [(args[at] ?? '').replace(/^.*[\\/]/, ''), ...args.slice(at + 1)]];
  }
  return [];
}

/** Returns the command that `exec` runs in a container that is there already: what stands behind the container's name. */
function commandInContainer(args: readonly string[]): string[][] {
  const at = args.findIndex((arg, index) => arg === 'exec' && index < 4);
  if (at < 0) return [];
  const rest = args.slice(at + 1);
  const isValue = (index: number): boolean =>
    /^(-[a-z]*[ecfnpuw]|--(env|env-file|user|workdir|detach-keys|namespace|container|context|file|index))$/.test(
      rest[index - 1] ?? '',
    );
  const name = rest.findIndex((arg, index) => !arg.startsWith('-') && !isValue(index));
  const words = name < 0 ? [] : rest.slice(name + 1);
  return words.length === 0 ? [] : [words[0] === '--' ? words.slice(1) : words];
}

function withoutOptions(args: readonly string[]): string[] {
  const at = args.findIndex(
    (arg, index) => !arg.startsWith('-') && !/^(-p|--package|-n|--name|--with)$/.test(args[index - 1] ?? ''),
  );
  return at < 0 ? [] : args.slice(at);
}

/** Returns the names that a command surely writes, as far as its words tell. */
function pipedWords(source: SimpleCommand): string[] {
  const [program, ...args] = source.words;
  const operands = args.filter((arg) => !arg.startsWith('-'));
  if (program === 'echo' || program === 'printf')
    return operands.flatMap((word) => word.split(/\\0|\\n|\s/)).filter((word) => /^[\w./~*$]+$/.test(word));
  if (program === 'find')
    return args
      .slice(
        0,
        Math.max(
          0,
          args.findIndex((arg) => /^[-(!]/.test(arg)),
        ),
      )
      .map((start) => `${start.replace(/\/$/, '')}/{}`);
  return program === 'ls' ? operands.map((start) => `${start.replace(/\/$/, '')}/{}`) : [];
}

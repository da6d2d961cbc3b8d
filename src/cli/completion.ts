import {
  cliCommands,
  common,
  options,
  servers,
  type CommandInfo,
  type OptionInfo,
  type OptionName,
  type completionShells,
} from './commandTable';

type Shell = (typeof completionShells)[number];

/** Returns the completion script for a shell, based on the table of commands. */
export function completionScript(shell: Shell): string {
  return { bash, zsh, fish }[shell]();
}

const names = [...cliCommands, ...servers].map(({ name }) => name);
const flags = ({ options: own }: CommandInfo) => [...own, ...common];
const listChoices = (name: OptionName) => (options[name] as OptionInfo).choices;
const isFile = (name: OptionName) => (options[name] as OptionInfo).value === 'FILE';

function bash(): string {
  const values = (Object.keys(options) as OptionName[]).flatMap((name) => {
    const choices = listChoices(name);
    if (choices) return [`    --${name}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$word")); return ;;`];
    return isFile(name) ? [`    --${name}) COMPREPLY=($(compgen -f -- "$word")); return ;;`] : [];
  });
  const words = cliCommands.map((command) => {
    const all = [...flags(command).map((name) => `--${name}`), ...(command.choices ?? [])];
    return `    ${command.name}) COMPREPLY=($(compgen -W "${all.join(' ')}" -- "$word")) ;;`;
  });
  return `_ollama_copilot() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$before" in
${values.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names.join(' ')} help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${words.join('\n')}
    serve|acp) COMPREPLY=($(compgen -d -- "$word")) ;;
    help) COMPREPLY=($(compgen -W "${names.join(' ')}" -- "$word")) ;;
  esac
}
complete -o filenames -F _ollama_copilot ollama-copilot
`;
}

function zsh(): string {
  const described = [...cliCommands, ...servers].map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = cliCommands.map((command) => {
    const specs = flags(command).map((name) => {
      const { value, summary }: OptionInfo = options[name];
      const choices = listChoices(name);
      const values = choices ? `(${choices.join(' ')})` : isFile(name) ? '_files' : '';
      return `'--${name}[${quoted(summary)}]${value === undefined ? '' : `:${value.toLowerCase()}:${values}`}'`;
    });
    const first = command.choices ? ` '1:${command.args.toLowerCase()}:(${command.choices.join(' ')})'` : '';
    return `    ${command.name}) _arguments ${specs.join(' ')}${first} ;;`;
  });
  return `#compdef ollama-copilot
_ollama_copilot() {
  local -a all
  all=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' all
    return
  fi
  local called=$words[2]
  shift words
  (( CURRENT-- ))
  case $called in
${cases.join('\n')}
    serve|acp) _files -/ ;;
  esac
}
compdef _ollama_copilot ollama-copilot
`;
}

function fish(): string {
  const rows = [...cliCommands, ...servers].map(
    ({ name, summary }) => `complete -c ollama-copilot -n __fish_use_subcommand -f -a ${name} -d '${quoted(summary)}'`,
  );
  const own = cliCommands.flatMap((command) => {
    const within = `complete -c ollama-copilot -n '__fish_seen_subcommand_from ${command.name}'`;
    const first = command.choices ? [`${within} -f -a '${command.choices.join(' ')}'`] : [];
    return [
      ...first,
      ...flags(command).map((name) => {
        const { value, summary }: OptionInfo = options[name];
        const choices = listChoices(name);
        const takes = value === undefined ? '' : isFile(name) ? ' -r -F' : choices ? ` -x -a '${choices.join(' ')}'` : ' -x';
        return `${within} -l ${name}${takes} -d '${quoted(summary)}'`;
      }),
    ];
  });
  return `${[...rows, ...own].join('\n')}\n`;
}

function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', '\\:');
}

/** Values of `terminal.integrated.env.*` as written in the settings. A string sets a variable, null unsets it. */
export type TerminalVariables = Readonly<Record<string, unknown>>;

/** Values for `${…}` references. */
export interface VariablePlaces {
  userHome: string;
  /** Undefined if no folder is open. */
  workspaceFolder: string | undefined;
}

/**
 * Returns the environment of a shell in an editor terminal: `base` with the variables of the
 * settings. Resolves `${env:NAME}`, `${userHome}` and `${workspaceFolder}`. Like the editor, does
 * not change a reference that it cannot resolve. Skips values that are neither string nor null.
 */
export function terminalEnvironment(
  base: NodeJS.ProcessEnv,
  variables: TerminalVariables,
  places: VariablePlaces,
): NodeJS.ProcessEnv {
  const environment = { ...base };
  const isWindows = process.platform === 'win32';
  const createKey = (name: string): string =>
    isWindows ? (Object.keys(base).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name) : name;
  const resolve = (whole: string, kind: string): string => {
    if (kind.startsWith('env:')) return base[createKey(kind.slice('env:'.length))] ?? '';
    if (kind === 'userHome') return places.userHome;
    return (kind === 'workspaceFolder' ? places.workspaceFolder : undefined) ?? whole;
  };
  for (const [name, value] of Object.entries(variables)) {
    if (value === null) delete environment[createKey(name)];
    else if (typeof value === 'string') environment[createKey(name)] = value.replaceAll(/\$\{([^}]*)\}/g, resolve);
  }
  return environment;
}

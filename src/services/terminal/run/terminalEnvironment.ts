/** Values of `terminal.integrated.env.*`, as they are written: null unsets a variable, and only texts are set. */
export type TerminalVariables = Readonly<Record<string, unknown>>;

/** Places that a value may name by `${…}`. */
export interface VariablePlaces {
  userHome: string;
  /** Undefined where no folder is open. */
  workspaceFolder: string | undefined;
}

/**
 * Returns the environment that a shell in a terminal of the editor has: `base` with the variables of the settings. `${env:NAME}`,
 * `${userHome}` and `${workspaceFolder}` are resolved; a reference that cannot be resolved is left as it is written, as the editor does. Values
 * that are neither text nor null are skipped.
 */
export function terminalEnvironment(
  base: NodeJS.ProcessEnv,
  variables: TerminalVariables,
  places: VariablePlaces,
): NodeJS.ProcessEnv {
  const environment = { ...base };
  const isWindows = process.platform === 'win32';
  const keyOf = (name: string): string =>
    isWindows ? (Object.keys(base).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name) : name;
  const resolve = (whole: string, kind: string): string => {
    if (kind.startsWith('env:')) return base[keyOf(kind.slice('env:'.length))] ?? '';
    if (kind === 'userHome') return places.userHome;
    return (kind === 'workspaceFolder' ? places.workspaceFolder : undefined) ?? whole;
  };
  for (const [name, value] of Object.entries(variables)) {
    if (value === null) delete environment[keyOf(name)];
    else if (typeof value === 'string') environment[keyOf(name)] = value.replaceAll(/\$\{([^}]*)\}/g, resolve);
  }
  return environment;
}

type Switches = Readonly<Record<string, boolean>>;

/** Rules for combining valid values of the user and a workspace, so that the stricter value is used. */
const combiners = {
  /** Off takes precedence. For settings that send something when they are on. */
  off: (own: boolean, other: boolean) => own && other,
  /** On takes precedence. For settings that protect something when they are on. */
  on: (own: boolean, other: boolean) => own || other,
  smaller: (own: number, other: number) => Math.min(own, other),
  /** All entries of both lists. For lists that disable something. */
  united: (own: readonly string[], other: readonly string[]) => [...new Set([...own, ...other])],
  /** Common entries of both lists. For lists that enable something. */
  common: (own: readonly string[], other: readonly string[]) => own.filter((entry) => other.includes(entry)),
  /** Off takes precedence for each name. `*` applies to names that a value does not contain. */
  offByName: (own: Switches, other: Switches) => {
    const names = new Set(['*', ...Object.keys(own), ...Object.keys(other)]);
    return Object.fromEntries([...names].map((name) => [name, isOn(own, name) && isOn(other, name)]));
  },
} as const;

function isOn(switches: Switches, name: string): boolean {
  if (Object.hasOwn(switches, name)) return switches[name] ?? true;
  return Object.hasOwn(switches, '*') ? (switches['*'] ?? true) : true;
}

export type WorkspaceRule = keyof typeof combiners;

/**
 * Settings that a workspace can make stricter, and the rule for each. A workspace can also set `baseUrl`,
 * which is used after the user has agreed. For all other settings, package.json disallows workspace
 * values. A test compares package.json with this list.
 */
export const workspaceRules: Readonly<Partial<Record<string, WorkspaceRule>>> = {
  'chat.implicitContext': 'off',
  'chat.readAhead': 'off',
  'languageModels.provide': 'off',
  enableAutoComplete: 'off',
  'completionMode.maxTokens': 'smaller',
  'completionMode.maxPrefixChars': 'smaller',
  'completionMode.maxSuffixChars': 'smaller',
  'completionMode.multiline': 'off',
  'completionMode.inComments': 'off',
  'completionMode.languages': 'offByName',
  'completionMode.nextEdit': 'off',
  'agent.maxIterations': 'smaller',
  'agent.maxActiveSessions': 'smaller',
  'agent.maxSubagents': 'smaller',
  'agent.instructionFiles': 'common',
  'agent.sessionTitleGeneration': 'off',
  'agent.disabledTools': 'united',
  'checkpoints.enabled': 'on',
  'checkpoints.aroundCommands': 'on',
  'search.enabled': 'off',
  'search.maxStorageMB': 'smaller',
};

/** Combines the user's value with the values of a workspace and its folders. All values must be valid for the setting. */
export function valueInForce(key: string, own: unknown, ofWorkspace: readonly unknown[]): unknown {
  const rule = workspaceRules[key];
  if (rule === undefined) return own;
  const combine = combiners[rule] as (own: never, other: never) => unknown;
  return ofWorkspace.reduce((value, other) => combine(value as never, other as never), own);
}

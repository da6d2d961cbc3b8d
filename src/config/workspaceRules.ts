type Switches = Readonly<Record<string, boolean>>;

/** Ways to combine the user's value with a workspace's, so that the stricter one wins. Each is given two usable values. */
const ways = {
  /** Off wins, where on sends something. */
  off: (own: boolean, other: boolean) => own && other,
  /** On wins, where on protects something. */
  on: (own: boolean, other: boolean) => own || other,
  smaller: (own: number, other: number) => Math.min(own, other),
  /** All entries, where they turn something off. */
  united: (own: readonly string[], other: readonly string[]) => [...new Set([...own, ...other])],
  /** Entries that both have, where they turn something on. */
  common: (own: readonly string[], other: readonly string[]) => own.filter((entry) => other.includes(entry)),
  /** Off wins for each name; `*` stands for the names that a value leaves out. */
  offByName: (own: Switches, other: Switches) => {
    const names = new Set(['*', ...Object.keys(own), ...Object.keys(other)]);
    return Object.fromEntries([...names].map((name) => [name, isOn(own, name) && isOn(other, name)]));
  },
} as const;

function isOn(switches: Switches, name: string): boolean {
  if (Object.hasOwn(switches, name)) return switches[name] ?? true;
  return Object.hasOwn(switches, '*') ? (switches['*'] ?? true) : true;
}

export type WorkspaceRule = keyof typeof ways;

/**
 * Settings that a workspace may make stricter, and how. The user alone sets all others, but for `baseUrl`: a workspace's address is used
 * once the user has agreed to it. package.json withholds a workspace's value of all others (a test compares the two).
 */
export const workspaceRules: Readonly<Partial<Record<string, WorkspaceRule>>> = {
  'chat.implicitContext': 'off',
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

/** Returns the value in force of the user's value and those of a workspace and its folders. All have to be usable for the setting. */
export function valueInForce(key: string, own: unknown, ofWorkspace: readonly unknown[]): unknown {
  const rule = workspaceRules[key];
  if (rule === undefined) return own;
  const combine = ways[rule] as (own: never, other: never) => unknown;
  return ofWorkspace.reduce((value, other) => combine(value as never, other as never), own);
}

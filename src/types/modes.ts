export interface ModeRow {
  /** Tools for the model: all, read-only tools, or only tools that list the mode (`Tool.alsoIn`). */
  tools: 'all' | 'read' | 'named';
  /** Rules in the system prompt: work until the task is done, plan the task, edit given files, or answer. */
  rules: 'work' | 'plan' | 'edit' | 'answer';
  /** True if the mode works poorly without tool support. Other models are then preferred, and the user sees a warning. */
  needsTools: boolean;
  /** True if the model ends its work with the completion mark. */
  endsWithMark: boolean;
  icon: string;
  /** Default value of the setting `…Mode.temperature`. */
  temperature: number;
}

/** All modes in the order of the picker. Their texts are in `webview/common/modeTexts.ts` and `vscode/modeName.ts`. */
export const modes = {
  agent: { tools: 'all', rules: 'work', needsTools: true, endsWithMark: true, icon: 'agent', temperature: 0.2 },
  plan: { tools: 'read', rules: 'plan', needsTools: true, endsWithMark: false, icon: 'checklist', temperature: 0.4 },
  ask: { tools: 'read', rules: 'answer', needsTools: false, endsWithMark: false, icon: 'ask', temperature: 0.7 },
  edit: { tools: 'named', rules: 'edit', needsTools: true, endsWithMark: true, icon: 'edit', temperature: 0.2 },
} as const satisfies Record<string, ModeRow>;

export type ChatMode = keyof typeof modes;

export const chatModes = Object.keys(modes) as [ChatMode, ...ChatMode[]];

/** Fallback for an unknown mode. It cannot change anything. */
export const fallbackMode: ChatMode = 'ask';

/** Returns the properties of a mode. The type `ModeRow` ensures that callers handle all possible values. */
export function modeRow(mode: ChatMode): ModeRow {
  return modes[mode];
}

export function isMode(name: string | undefined): name is ChatMode {
  return name !== undefined && Object.hasOwn(modes, name);
}

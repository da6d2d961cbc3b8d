/** Mode of a session: what it offers to a model and expects of it. */
export interface ModeRow {
  /** Tools that the model is offered: all, those that only read, or none but those that name the mode (`Tool.alsoIn`). */
  tools: 'all' | 'read' | 'named';
  /** Rules in the system prompt: to work until the task is done, to plan it, to change given files, or to answer. */
  rules: 'work' | 'plan' | 'edit' | 'answer';
  /** True if a model without tool support serves it badly, so that another is preferred and a person is told. */
  needsTools: boolean;
  /** True if the model ends its work with the completion mark. */
  endsWithMark: boolean;
  /** Name of the codicon. */
  icon: string;
  /** Default of the setting `…Mode.temperature`. */
  temperature: number;
}

/** All modes, in the order of the picker. The texts are in `webview/common/modeTexts.ts` and `vscode/modeName.ts`. */
export const modes = {
  agent: { tools: 'all', rules: 'work', needsTools: true, endsWithMark: true, icon: 'agent', temperature: 0.2 },
  plan: { tools: 'read', rules: 'plan', needsTools: true, endsWithMark: false, icon: 'checklist', temperature: 0.4 },
  ask: { tools: 'read', rules: 'answer', needsTools: false, endsWithMark: false, icon: 'ask', temperature: 0.7 },
  edit: { tools: 'named', rules: 'edit', needsTools: true, endsWithMark: true, icon: 'edit', temperature: 0.2 },
} as const satisfies Record<string, ModeRow>;

export type ChatMode = keyof typeof modes;

export const chatModes = Object.keys(modes) as [ChatMode, ...ChatMode[]];

/** Stands for a mode that this build does not know: it changes nothing. */
export const carefulMode: ChatMode = 'ask';

/** Returns the row of a mode. Typed as `ModeRow`, so that callers cover values that no row has today. */
export function modeRow(mode: ChatMode): ModeRow {
  return modes[mode];
}

export function isMode(name: string | undefined): name is ChatMode {
  return name !== undefined && Object.hasOwn(modes, name);
}

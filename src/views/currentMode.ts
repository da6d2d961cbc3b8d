import type * as vscode from 'vscode';
import { chatModes, type ChatMode } from '../types/modes';

/** Where the mode last chosen is remembered. */
export const modeKey = 'ollamaCopilot.mode';

/** The mode last chosen in this workspace. */
export function currentMode(memento: vscode.Memento): ChatMode {
  const stored = memento.get<string>(modeKey);
  return chatModes.find((mode) => mode === stored) ?? chatModes[0];
}

import type * as vscode from 'vscode';
import { chatModes, type ChatMode } from '../types/modes';

/** Storage key of the last selected mode. */
export const modeKey = 'ollamaCopilot.mode';

const lastSessionKey = 'ollamaCopilot.lastSession';

/** Returns the mode last selected in this workspace. */
export function currentMode(memento: vscode.Memento): ChatMode {
  const stored = memento.get<string>(modeKey);
  return chatModes.find((mode) => mode === stored) ?? chatModes[0];
}

/** Returns the session last shown in this workspace. */
export function currentSession(memento: vscode.Memento): string | null {
  return memento.get<string>(lastSessionKey) ?? null;
}

/** Stores the active session and mode for the workspace. It exists longer than views and storages. */
export class ActiveSession {
  private shown: string | null;

  constructor(
    private readonly memento: vscode.Memento,
    /** Called when another session becomes active. */
    private readonly onDidShow: () => void,
    /** Called when another mode is selected. */
    private readonly onDidSelectMode: () => Promise<void>,
  ) {
    this.shown = currentSession(memento);
  }

  get sessionId(): string | null {
    return this.shown;
  }

  get mode(): ChatMode {
    return currentMode(this.memento);
  }

  show(sessionId: string | null): void {
    this.shown = sessionId;
    this.onDidShow();
    void this.memento.update(lastSessionKey, sessionId ?? undefined);
  }

  async selectMode(mode: string): Promise<void> {
    if (mode === this.mode) return;
    await this.memento.update(modeKey, mode);
    await this.onDidSelectMode();
  }
}

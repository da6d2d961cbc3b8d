import type * as vscode from 'vscode';
import { chatModes, type ChatMode } from '../types/modes';

/** Tells where the mode last chosen is remembered. */
export const modeKey = 'ollamaCopilot.mode';

const lastSessionKey = 'ollamaCopilot.lastSession';

/** Returns the mode last chosen in this workspace. */
export function currentMode(memento: vscode.Memento): ChatMode {
  const stored = memento.get<string>(modeKey);
  return chatModes.find((mode) => mode === stored) ?? chatModes[0];
}

/** Returns the session last shown in this workspace. */
export function currentSession(memento: vscode.Memento): string | null {
  return memento.get<string>(lastSessionKey) ?? null;
}

/** Holds what the view has in front, across everything that opens and closes; remembered for the workspace. */
export class Front {
  private shown: string | null;

  constructor(
    private readonly memento: vscode.Memento,
    /** Told when another session is in front. */
    private readonly onDidShow: () => void,
    /** Called when another mode has been chosen. */
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

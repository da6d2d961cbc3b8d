import type * as vscode from 'vscode';
import { chatModes, type ChatMode } from '../types/modes';

/** Storage key of the mode that the user selected last. A new chat starts in this mode. */
const modeKey = 'ollamaCopilot.mode';
/** Storage key of the active session's mode. Empty if the user selected a mode after the session was opened. */
const sessionModeKey = 'ollamaCopilot.sessionMode';

const lastSessionKey = 'ollamaCopilot.lastSession';

/** Returns the mode of the active session, otherwise the mode last selected in this workspace. */
export function currentMode(memento: vscode.Memento): ChatMode {
  const stored = memento.get<string>(sessionModeKey) ?? memento.get<string>(modeKey);
  return chatModes.find((mode) => mode === stored) ?? chatModes[0];
}

/** Stores the mode that the user selected. It also applies to new chats. */
export async function selectMode(memento: vscode.Memento, mode: ChatMode): Promise<void> {
  await Promise.all([memento.update(modeKey, mode), memento.update(sessionModeKey, undefined)]);
}

/** Returns the session last shown in this workspace. */
export function currentSession(memento: vscode.Memento): string | null {
  return memento.get<string>(lastSessionKey) ?? null;
}

/** Stores the active session and mode for the workspace. It outlives views and storages. */
export class ActiveSession {
  private shown: string | null;

  constructor(
    private readonly memento: vscode.Memento,
    /** Called when another session becomes active. */
    private readonly onDidShow: () => void,
    /** Called when the mode of another session applies. */
    private readonly onDidShowMode: () => Promise<void>,
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

  /** Applies the mode of the active session. Null applies the mode that the user selected last. */
  async showMode(mode: string | null): Promise<void> {
    const before = this.mode;
    await this.memento.update(sessionModeKey, mode ?? undefined);
    if (this.mode !== before) await this.onDidShowMode();
  }
}

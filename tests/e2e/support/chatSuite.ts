import { OllamaDouble, type DoubleOptions } from '../../support/ollama/double';
import { ChatPage } from '../chatPage';
import { Workbench, type WorkbenchOptions } from './workbench';

/** Objects that a suite about the chat works with. */
export interface ChatSuite {
  double: OllamaDouble;
  workbench: Workbench;
  chat: ChatPage;
}

export interface ChatSuiteOptions extends Pick<DoubleOptions, 'models' | 'chunkBytes' | 'parallel'> {
  /** Options in addition to the address of the scripted server. */
  window?: WorkbenchOptions;
  /** Initial mode. Default: the product's default. */
  mode?: string;
  /** If false, a case opens the chat or checks that it opens automatically. Default: true. */
  opensChat?: boolean;
  /** Writes files into the workspace before the chat opens. */
  prepare?: (folder: string) => Promise<void>;
}

/**
 * Registers hooks that start a scripted server and a window with a visible chat before the suite and close both afterwards. `ready`
 * receives them before the first case.
 */
export function chatSuite(options: ChatSuiteOptions, ready: (suite: ChatSuite) => void): void {
  const { window = {}, mode, opensChat = true, prepare, ...server } = options;
  let double: OllamaDouble | undefined;
  let workbench: Workbench | undefined;

  before(async () => {
    double = await OllamaDouble.start(server);
    const settings = { 'ollamaCopilot.baseUrl': double.url, ...window.settings };
    const opened = await Workbench.start({ ...window, settings });
    workbench = opened;
    await prepare?.(opened.folder);
    if (opensChat) await opened.openChat();
    const chat = new ChatPage(() => opened.view, opened.page);
    if (mode !== undefined) await chat.pickMode(mode);
    ready({ double, workbench: opened, chat });
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
  });
}

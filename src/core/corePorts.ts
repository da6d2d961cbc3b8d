import type { DiagnosticsPort, DiagnosticsWatcher, SourceControlPort } from '../agent/kernel/ports';
import type { LanguagePort } from '../agent/kernel/languagePort';
import type { ModelAids } from '../agent/kernel/modelAids';
import type { ToolSource } from '../agent/tools/kernel/toolRegistry';
import type { Settings } from '../config/settings';
import type { ReviewQuestions } from '../services/review/reviewPorts';
import type { UnsavedFiles } from '../services/checkpoint/host/restores';
import type { StorageError } from '../services/database/sqlite/storageError';
import type { OpenFiles, WorkspacePort } from '../services/files/workspacePorts';
import type { ModelManager } from '../services/model/catalogue/modelManager';
import type { OllamaClient } from '../services/model/client/ollamaClient';
import type { ServerArbiter } from '../services/model/serverArbiter';
import type { RipgrepLocator } from '../services/search/textSearch';
import type { CommandSandbox } from '../services/terminal/sandbox/sandboxPorts';
import type { TerminalHost } from '../services/terminal/run/terminalPorts';
import type { Clock } from '../utils/clock';
import type { Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';

export interface WorkerPaths {
  search: string;
  checkpoint: string;
  codebase: string;
}

/** Location of a storage and identity of the window that writes to it. */
export interface StoragePort {
  directory: string;
  /** Name of this window, unique among all windows that share the storage. */
  owner: string;
  /** Reason why the storage is read-only, or null if it is writable. */
  readOnlyBecause: StorageError | null;
  onDamage: (failure: StorageError) => void;
}

/** Services that the core needs from its host, which is an editor, a test or a server without a window. */
export interface CorePorts {
  storage: StoragePort;
  workers: WorkerPaths;
  client: OllamaClient;
  models: ModelManager;
  arbiter: ServerArbiter;
  settings: Settings;
  workspace: WorkspacePort;
  editors: OpenFiles;
  unsaved: UnsavedFiles;
  diagnostics: DiagnosticsPort & DiagnosticsWatcher;
  /** Undefined without an editor. Tools that need language extensions are then not offered. */
  language: LanguagePort | undefined;
  /** Undefined without an editor. */
  sourceControl: SourceControlPort | undefined;
  /** Undefined if no terminal can be shown. Commands then run in child processes. */
  terminals: TerminalHost | undefined;
  /** The default is the sandbox of the operating system. */
  sandbox?: CommandSandbox | undefined;
  ripgrep: RipgrepLocator;
  toolSources?: readonly ToolSource[] | undefined;
  /** All aids are enabled by default. */
  aids?: Readonly<ModelAids> | undefined;
  questions: ReviewQuestions;
  askForCloud: (model: string) => Promise<boolean>;
  onProblem: (userMessage: string) => void;
  clock: Clock;
  logger: Logger;
}

/** Owner of everything that is disposed with the core, such as a `DisposableStore`. */
export interface Lifetime {
  add<T extends Disposable>(item: T): T;
}

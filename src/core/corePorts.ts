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
import type { TerminalHost } from '../services/terminal/run/terminalPorts';
import type { Clock } from '../utils/clock';
import type { Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';

/** Files of the compiled workers. */
export interface WorkerPaths {
  search: string;
  checkpoint: string;
  codebase: string;
}

/** Place of a storage, and the identity of its writer. */
export interface StoragePort {
  directory: string;
  /** Names this window among all that ever share the storage. */
  owner: string;
  /** Says why nothing can be written; null where all can be. */
  readOnlyBecause: StorageError | null;
  onDamage: (failure: StorageError) => void;
}

/** Services that a core needs of the program around it: an editor, a test or a server without a window. */
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
  /** Absent without an editor: the tools that ask language extensions are not offered then. */
  language: LanguagePort | undefined;
  /** Absent without an editor. */
  sourceControl: SourceControlPort | undefined;
  /** Absent where no terminal can be shown: commands run in child processes then. */
  terminals: TerminalHost | undefined;
  ripgrep: RipgrepLocator;
  /** Tools from elsewhere. */
  toolSources?: readonly ToolSource[] | undefined;
  /** Default: all on. */
  aids?: Readonly<ModelAids> | undefined;
  questions: ReviewQuestions;
  askForCloud: (model: string) => Promise<boolean>;
  onProblem: (userMessage: string) => void;
  clock: Clock;
  logger: Logger;
}

/** Owns what ends with the core; `DisposableStore` is one. */
export interface Lifetime {
  add<T extends Disposable>(item: T): T;
}

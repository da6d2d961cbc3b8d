import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ModelAids } from '../../../../src/agent/kernel/modelAids';
import type { LanguagePort } from '../../../../src/agent/kernel/languagePort';
import type { ToolSource } from '../../../../src/agent/tools/kernel/toolRegistry';
import type { SourceControlPort } from '../../../../src/agent/kernel/ports';
import type { ReviewQuestions } from '../../../../src/services/review/reviewPorts';
import type { Attachment } from '../../../../src/protocol/entries';
import type { OpenFiles } from '../../../../src/services/files/workspacePorts';
import type { StorageError } from '../../../../src/services/database/sqlite/storageError';
import type { CommandSandbox } from '../../../../src/services/terminal/sandbox/sandboxPorts';
import type { ChatMode } from '../../../../src/types/modes';
import { type Clock } from '../../../../src/utils/clock';
import { type Logger } from '../../../../src/utils/logger';
import { type DoubleOptions } from '../../../support/ollama/double';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import { placeNewDatabase } from '../../database/support/newDatabase';

export interface AgentFolders {
  root: string;
  workspace: string;
}

export interface BenchOptions {
  /** Responses of language extensions; none by default. */
  language?: LanguagePort;
  sourceControl?: SourceControlPort;
  /** Default: none. */
  sandbox?: CommandSandbox;
  toolSources?: readonly ToolSource[];
  models?: readonly ModelSpec[];
  settings?: Record<string, unknown>;
  isTrusted?: boolean;
  hasFolder?: boolean;
  /** Default: a silent logger. */
  logger?: Logger;
  server?: Omit<DoubleOptions, 'models'>;
  /** Default: the address of the server double. */
  baseUrl?: string;
  /** Clock for the waits before a retry. */
  retryClock?: Clock;
  storageClock?: Clock;
  onDamage?: (failure: StorageError) => void;
  /** The user's answers to the questions of an undo. Default: no to every question. */
  questions?: Partial<ReviewQuestions>;
  hasCheckpoints?: boolean;
  /** Open editors; none by default. */
  editors?: OpenFiles;
  /** Folders of another bench, to share its storage and workspace. */
  folders?: AgentFolders;
  /** Default: an owner without a process. */
  owner?: string;
  /** Aids to disable; none by default. */
  aids?: Partial<ModelAids>;
  /** Default: the user agrees. */
  askForCloud?: (model: string) => Promise<boolean>;
}

export interface SendOptions {
  mode?: ChatMode;
  model?: string | null;
  sessionId?: string | null;
  attachments?: Attachment[];
}

export const noAnswers: ReviewQuestions = { replace: async () => false, remove: async () => false, merge: async () => false };

export const defaultModels: ModelSpec[] = [{ name: 'worker', capabilities: ['completion', 'tools'] }];

export async function newFolders(): Promise<AgentFolders> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-agent-')));
  placeNewDatabase(path.join(root, 'storage'));
  return { root, workspace: await mkdtemp(path.join(root, 'project-')) };
}

import type { ToolCallChoice } from '../types/modelDefaults';
import type { ChatMode } from '../types/modes';

export interface ModeConfig {
  model: string;
  temperature: number;
  /** Maximum tokens of an answer. A negative value uses `answerLimit`. */
  maxTokens: number;
}

export interface AgentConfig {
  maxIterations: number;
  /** Time limit of a tool, in milliseconds. */
  toolTimeout: number;
  maxActiveSessions: number;
  /** Form of tool calls. */
  toolCalls: ToolCallChoice;
  /** True if exams may change defaults. */
  usesExam: boolean;
  /** True if requests declare only the most important tools. */
  loadsTools: boolean;
  /** Model of `run_subagent`; empty uses the calling model. */
  explorerModel: string;
  /** Kinds of instruction files for the model; empty for none. */
  instructionFiles: readonly string[];
  /** Model that writes summaries; empty uses the chat's model. */
  compactionModel: string;
  /** True if a model generates the title of a chat after the first answer. */
  sessionTitleGeneration: boolean;
  /** Model for titles; empty uses the chat's model. */
  sessionTitleModel: string;
  /** Maximum number of parallel subagents. */
  maxSubagents: number;
  /** True if new sessions auto-approve read-only commands. */
  autoApproveCommands: boolean;
  /** In tokens. */
  maxContextWindow: number;
  /** Tools of other extensions that the agent may call. */
  editorTools: readonly string[];
  /** Tools that are not offered to the model. */
  disabledTools: readonly string[];
  /** Map from globs to whether matching files are edited without approval. The last matching glob applies. */
  sensitiveFilePatterns: Record<string, boolean>;
  /** Ollama's `keep_alive`: a Go duration or seconds. */
  keepAlive: string | number;
}

export interface SandboxConfig {
  /** True if new sessions run commands in the sandbox. */
  isEnabled: boolean;
  /** `none`: commands reach no host. `ask`: the allowed hosts, and each other host after a question. */
  network: 'none' | 'ask';
  allowedHosts: readonly string[];
  /** Absolute paths outside the workspace that commands may write, which no checkpoint covers. */
  writablePaths: readonly string[];
  /** Absolute paths that commands must not read, in addition to the built-in ones. */
  readDenied: readonly string[];
}

export interface PrivacyConfig {
  /** True if only this machine and `allowed` may be contacted. */
  isLocalOnly: boolean;
  /** Hosts, `host:port` or http(s) addresses. */
  allowed: readonly string[];
  /** True if records of connections are kept on disk for 30 days. */
  keepsConnections: boolean;
  /** Number of chat requests kept in memory for *Show Request*. */
  keptRequests: number;
}

export interface CompletionConfig {
  /** True if suggestions appear while typing; otherwise only on request. */
  isAutomatic: boolean;
  /** Empty if no model is selected; then there are no suggestions. */
  model: string;
  temperature: number;
  maxTokens: number;
  /** Minimum delay after a key in milliseconds; 0 adapts to the typing speed. */
  debounceMs: number;
  maxPrefixChars: number;
  maxSuffixChars: number;
  isMultiline: boolean;
  isInComments: boolean;
  /** Map from languages to whether suggestions are enabled; `*` applies to all others. */
  languages: Readonly<Record<string, boolean>>;
  /** True if rewrites of lines with a problem are suggested. */
  hasNextEdit: boolean;
  /** Prompt with `{prefix}` and `{suffix}` for a model of an unknown family; empty for none. */
  template: string;
}

export interface CheckpointConfig {
  isEnabled: boolean;
  aroundCommands: boolean;
  maxFileBytes: number;
  /** Bytes on disk. Exceeding the limit only shows a notice. */
  maxStorageBytes: number;
  /** Lines in `.gitignore` syntax. */
  exclude: readonly string[];
}

export interface SearchConfig {
  isEnabled: boolean;
  /** True if vectors are also stored in LanceDB, which then answers queries. */
  isLance: boolean;
  /** Shared LanceDB folder or address of a team; empty for none. */
  sharedUri: string;
  /** Embedding model; empty disables search by meaning. */
  embeddingModel: string;
  /** Maximum size of each folder's index on disk, in bytes. Further files are not indexed. */
  maxBytes: number;
}

export interface ExtensionConfig {
  baseUrl: string;
  storagePath: string;
  /** Tokens, if the model's context length is unknown. */
  contextWindow: number;
  modes: Record<ChatMode, ModeConfig>;
  agent: AgentConfig;
  checkpoints: CheckpointConfig;
}

import type { ToolCallChoice } from '../types/modelDefaults';
import type { ChatMode } from '../types/modes';

export interface ModeConfig {
  model: string;
  temperature: number;
  /** Maximum number of tokens in an answer. A negative value uses `answerLimit`. */
  maxTokens: number;
}

export interface AgentConfig {
  maxIterations: number;
  /** Time limit of a tool, in milliseconds. */
  toolTimeout: number;
  maxActiveSessions: number;
  toolCalls: ToolCallChoice;
  /** True if exams can change defaults. */
  usesExam: boolean;
  /** True if requests declare only the most important tools and the model loads others when it needs them. */
  loadsTools: boolean;
  /** Model of `run_subagent`. Empty uses the calling model. */
  explorerModel: string;
  /** Kinds of instruction files for the model. Empty for none. */
  instructionFiles: readonly string[];
  /** Model that writes summaries. Empty uses the model of the chat. */
  compactionModel: string;
  /** True if a model generates the title of a chat after the first answer. */
  sessionTitleGeneration: boolean;
  /** Model for titles. Empty uses the model of the chat. */
  sessionTitleModel: string;
  maxSubagents: number;
  /** True if new sessions auto-approve read-only commands. */
  autoApproveCommands: boolean;
  /** Maximum context window in tokens. */
  maxContextWindow: number;
  /** Tools of other extensions that the agent can call. */
  editorTools: readonly string[];
  /** Tools that are not offered to the model. */
  disabledTools: readonly string[];
  /** Map from globs to whether matching files are edited without approval. The last matching glob applies. */
  sensitiveFilePatterns: Record<string, boolean>;
  /** Value of Ollama's `keep_alive`: a Go duration, or seconds. */
  keepAlive: string | number;
}

export interface SandboxConfig {
  /** True if new sessions run commands in the sandbox. */
  isEnabled: boolean;
  /** `none`: commands cannot access any host. `ask`: commands can access the allowed hosts, and other hosts after a question. */
  network: 'none' | 'ask';
  allowedHosts: readonly string[];
  /** Absolute paths outside the workspace that commands can write to. Checkpoints do not contain them. */
  writablePaths: readonly string[];
  /** Absolute paths that commands cannot read, in addition to the built-in ones. */
  readDenied: readonly string[];
}

export interface PrivacyConfig {
  /** True if only this computer and `allowed` can be contacted. */
  isLocalOnly: boolean;
  /** Hosts, `host:port` or http(s) addresses. */
  allowed: readonly string[];
  /** True if records of connections are stored on disk for 30 days. */
  keepsConnections: boolean;
  /** Number of chat requests that are kept in memory for *Show Request*. */
  keptRequests: number;
}

export interface CompletionConfig {
  /** True if suggestions appear while typing. Otherwise, they only appear on request. */
  isAutomatic: boolean;
  /** Model. If empty, no model is selected and there are no suggestions. */
  model: string;
  temperature: number;
  maxTokens: number;
  /** Minimum delay after a key press, in milliseconds. 0 adapts to the typing speed. */
  debounceMs: number;
  maxPrefixChars: number;
  maxSuffixChars: number;
  isMultiline: boolean;
  isInComments: boolean;
  /** Map from languages to whether suggestions are enabled. `*` applies to all other languages. */
  languages: Readonly<Record<string, boolean>>;
  /** True if rewrites are suggested for lines with a problem. */
  hasNextEdit: boolean;
  /** Prompt with `{prefix}` and `{suffix}` for a model of an unknown family. Empty for none. */
  template: string;
}

export interface CheckpointConfig {
  isEnabled: boolean;
  aroundCommands: boolean;
  maxFileBytes: number;
  /** Limit in bytes on disk. If it is exceeded, only a notice is shown. */
  maxStorageBytes: number;
  /** Lines in `.gitignore` syntax. */
  exclude: readonly string[];
}

export interface SearchConfig {
  isEnabled: boolean;
  /** True if vectors are also stored in LanceDB, which is then used for queries. */
  isLance: boolean;
  /** Shared LanceDB folder or address of a team. Empty for none. */
  sharedUri: string;
  /** Embedding model. If empty, search by meaning is disabled. */
  embeddingModel: string;
  /** Maximum size of each folder's index on disk, in bytes. Once it is reached, no more files are indexed. */
  maxBytes: number;
}

export interface ExtensionConfig {
  baseUrl: string;
  storagePath: string;
  /** Context window in tokens, used if the model's context length is unknown. */
  contextWindow: number;
  modes: Record<ChatMode, ModeConfig>;
  agent: AgentConfig;
  checkpoints: CheckpointConfig;
}

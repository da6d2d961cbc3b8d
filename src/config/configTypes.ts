import type { ChatMode } from '../types/modes';

export interface ModeConfig {
  model: string;
  temperature: number;
  /** Tokens of an answer at the most; negative: as many as `answerLimit` gives. */
  maxTokens: number;
}

export interface AgentConfig {
  maxIterations: number;
  /** Milliseconds a tool may take. */
  toolTimeout: number;
  maxActiveSessions: number;
  /** Model of `run_subagent`; empty: the one that asks. */
  explorerModel: string;
  /** Kinds of instruction files that a model is given; none: nothing of them. */
  instructionFiles: readonly string[];
  /** Model that writes summaries of what is old; empty: the one of the chat. */
  compactionModel: string;
  /** True if a model names a chat once its first message is answered. */
  sessionTitleGeneration: boolean;
  /** Model that does; empty: the one of the chat. */
  sessionTitleModel: string;
  /** Explorations at a time. */
  maxSubagents: number;
  /** True if new sessions run commands that only read without a question. */
  autoApproveCommands: boolean;
  /** Tokens. */
  maxContextWindow: number;
  /** Names of tools of other extensions that the agent may call. */
  editorTools: readonly string[];
  /** Names of tools that the model is not told of. */
  disabledTools: readonly string[];
  /** Glob → whether such files are edited without asking; the last one that matches decides. */
  sensitiveFilePatterns: Record<string, boolean>;
  /** Ollama's `keep_alive`: a Go duration or seconds. */
  keepAlive: string | number;
}

/** Settings of inline completions. */
export interface CompletionConfig {
  /** True if suggestions come while somebody types; else only when asked for. */
  isAutomatic: boolean;
  /** Empty: none is chosen, so nothing is suggested. */
  model: string;
  temperature: number;
  /** Tokens of one suggestion at the most. */
  maxTokens: number;
  /** Milliseconds to wait after a key at the least; 0: as the typing asks for. */
  debounceMs: number;
  maxPrefixChars: number;
  maxSuffixChars: number;
  isMultiline: boolean;
  isInComments: boolean;
  /** Language → whether it is completed; `*` stands for all that are not named. */
  languages: Readonly<Record<string, boolean>>;
  /** True if a line with a problem is offered rewritten. */
  hasNextEdit: boolean;
  /** Prompt with `{prefix}` and `{suffix}`, for a model of no known family; empty for none. */
  template: string;
}

export interface CheckpointConfig {
  isEnabled: boolean;
  aroundCommands: boolean;
  maxFileBytes: number;
  /** Bytes on the disk. Exceeding them only leads to a notice. */
  maxStorageBytes: number;
  /** Lines in the syntax of a `.gitignore`. */
  exclude: readonly string[];
}

/** Settings of the index of the workspace. */
export interface SearchConfig {
  isEnabled: boolean;
  /** True where vectors are kept in LanceDB too, which answers then. */
  isLance: boolean;
  /** Folder or address of LanceDB that a team shares; empty for none. */
  sharedUri: string;
  /** Model that embeds; empty: nothing is searched by meaning. */
  embeddingModel: string;
  /** Bytes that each folder's index may take on the disk; files are left out of it beyond. */
  maxBytes: number;
}

export interface ExtensionConfig {
  baseUrl: string;
  storagePath: string;
  /** Tokens, where the model's own window is unknown. */
  contextWindow: number;
  modes: Record<ChatMode, ModeConfig>;
  agent: AgentConfig;
  checkpoints: CheckpointConfig;
}

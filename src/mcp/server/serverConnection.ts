import type { FormField } from '../../protocol/forms/formField';
import type { SignInStore } from '../auth/storedSignIn';
import type { Phrase } from '../../utils/l10n';
import type { HttpServer, StdioServer } from '../config/serverConfig';

/** Tool as its server describes it. Untrusted. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Readonly<Record<string, unknown>>;
  claims: { readOnly: boolean; destructive: boolean | null; idempotent: boolean; openWorld: boolean | null };
}

/** Prompt of a server, which the user calls by name. */
export interface ListedPrompt {
  name: string;
  description: string;
  arguments: readonly { name: string; description: string; isRequired: boolean }[];
}

/** Entries of a list in the order of the server. */
export interface Listing<T> {
  entries: T[];
  /** Reason why there may be more entries; null if the list is complete. */
  incomplete: Phrase | null;
}

/** Part of a result. `bytes`: size of binary data. */
export type ResultPart =
  | { kind: 'text'; text: string }
  | { kind: 'image' | 'audio' | 'file'; type: string; bytes: number; name: string; /** Base64 data of an image. */ data?: string }
  | { kind: 'resource'; uri: string; text: string }
  | { kind: 'link'; uri: string; name: string };

export interface CallResult {
  isError: boolean;
  parts: readonly ResultPart[];
}

export interface FormRequest {
  message: string;
  fields: readonly FormField[];
}

/** Resolves with null if the user declines. */
export type AnswerForm = (form: FormRequest) => Promise<Record<string, unknown> | null>;

export interface CallOptions {
  signal: AbortSignal;
  /** Asks the user to fill in a form during the call. */
  answer: AnswerForm;
}

/** Program with its complete environment, and its working directory. */
export interface ProgramToConfine {
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** Prepares a program for the sandbox. `finish` is called once it has ended. Rejects with an `AppError` if it cannot run there. */
export type ConfineProgram = (
  program: ProgramToConfine,
  signal: AbortSignal,
) => Promise<{ program: Omit<ProgramToConfine, 'cwd'>; finish: (exitCode: number | null) => Promise<unknown> }>;

/** Receives the events of a connection. */
export interface ConnectionHost {
  confine: ConfineProgram;
  log(text: string): void;
  /** Called for a line on stdout that is not a message, shortened and without control characters. */
  onStray(line: string): void;
  onToolsChanged(): void;
  onPromptsChanged(): void;
  /** Called once when the server has ended; not after `close`. */
  onEnded(code: number | null): void;
  /** Stored sign-ins; null if not supported. */
  signIns: SignInStore | null;
  /** Called when a request uses a sign-in token, with the origins that the sign-in contacts in addition to the server's. */
  onSignedIn(origins: readonly string[]): void;
  /** Lets a call in progress answer a form; resolves with null without one. */
  answer(form: FormRequest): Promise<Record<string, unknown> | null>;
}

export interface ServerConnection {
  /** Negotiated protocol version. */
  readonly protocol: string;
  /** Process id of a started server; null over HTTP. */
  readonly pid: number | null;
  tools(): Promise<Listing<ListedTool>>;
  prompts(): Promise<Listing<ListedPrompt>>;
  prompt(name: string, values: Record<string, string>): Promise<string>;
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallResult>;
  close(): Promise<void>;
}

/** Connects to a server. Rejects with the reason, and cleans up. */
export type Connect = (reach: StdioServer | HttpServer, host: ConnectionHost, signal: AbortSignal) => Promise<ServerConnection>;

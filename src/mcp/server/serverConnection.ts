import type { FormField } from '../../protocol/forms/formField';
import type { SignInStore } from '../auth/storedSignIn';
import type { Phrase } from '../../utils/l10n';
import type { HttpServer, StdioServer } from '../config/serverConfig';

/** Tool as its server describes it. The description is untrusted. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Readonly<Record<string, unknown>>;
  claims: { readOnly: boolean; destructive: boolean | null; idempotent: boolean; openWorld: boolean | null };
}

/** Prompt of a server. The user calls it by its name. */
export interface ListedPrompt {
  name: string;
  description: string;
  arguments: readonly { name: string; description: string; isRequired: boolean }[];
}

/** Entries of a list in the order of the server. */
export interface Listing<T> {
  entries: T[];
  /** Reason why the list may be incomplete. Null if it is complete. */
  incomplete: Phrase | null;
}

/** Part of a result. `bytes` is the size of binary data. */
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

/** Handles a form. Resolves with null if the user declines. */
export type AnswerForm = (form: FormRequest) => Promise<Record<string, unknown> | null>;

export interface CallOptions {
  signal: AbortSignal;
  /** Asks the user to fill in a form during the call. */
  answer: AnswerForm;
}

/** Program with its complete environment and its working directory. */
export interface ProgramToConfine {
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/**
 * Prepares a program for the sandbox. `finish` is called once the program has ended. Rejects with
 * an `AppError` if it cannot run in the sandbox.
 */
export type ConfineProgram = (
  program: ProgramToConfine,
  signal: AbortSignal,
) => Promise<{ program: Omit<ProgramToConfine, 'cwd'>; finish: (exitCode: number | null) => Promise<unknown> }>;

/** Receives the events of a connection. */
export interface ConnectionHost {
  confine: ConfineProgram;
  log(text: string): void;
  /** Called for a line on stdout that is not a message. The line is shortened and has no control characters. */
  onStray(line: string): void;
  onToolsChanged(): void;
  onPromptsChanged(): void;
  /** Called once when the server has ended. Not called after `close`. */
  onEnded(code: number | null): void;
  /** Stored sign-ins. Null if sign-in is not supported. */
  signIns: SignInStore | null;
  /**
   * Called when a request uses a sign-in token. `origins` lists the origins that the
   * sign-in contacts in addition to the server's origin.
   */
  onSignedIn(origins: readonly string[]): void;
  /** Lets a call in progress handle a form. Resolves with null if there is no call. */
  answer(form: FormRequest): Promise<Record<string, unknown> | null>;
}

export interface ServerConnection {
  readonly protocol: string;
  /** Process ID of a started server. Null over HTTP. */
  readonly pid: number | null;
  tools(): Promise<Listing<ListedTool>>;
  prompts(): Promise<Listing<ListedPrompt>>;
  prompt(name: string, values: Record<string, string>): Promise<string>;
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallResult>;
  close(): Promise<void>;
}

/** Connects to a server. If this fails, cleans up and rejects with the reason. */
export type Connect = (reach: StdioServer | HttpServer, host: ConnectionHost, signal: AbortSignal) => Promise<ServerConnection>;

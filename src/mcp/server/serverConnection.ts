import type { FormField } from '../../protocol/forms/formField';
import type { SignInStore } from '../auth/storedSignIn';
import type { HttpServer, StdioServer } from '../config/serverConfig';

/** Tool as its server describes it: nothing of it is to be trusted. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Readonly<Record<string, unknown>>;
  /** Claims of the server: that it only reads, destroys, may be repeated, reaches further. */
  claims: { readOnly: boolean; destructive: boolean | null; idempotent: boolean; openWorld: boolean | null };
}

/** Prompt of a server, which a person calls by its name. */
export interface ListedPrompt {
  name: string;
  description: string;
  arguments: readonly { name: string; description: string; isRequired: boolean }[];
}

/** Part of a result. `bytes` are those of what is no text. */
export type ResultPart =
  | { kind: 'text'; text: string }
  | { kind: 'image' | 'audio' | 'file'; type: string; bytes: number; name: string; /** Base64, of an image. */ data?: string }
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

/** Null if the person declines. */
export type AnswerForm = (form: FormRequest) => Promise<Record<string, unknown> | null>;

export interface CallOptions {
  signal: AbortSignal;
  /** Has a person fill in a form while the call goes on. */
  answer: AnswerForm;
}

/** Receives what a connection tells of a server. */
export interface ConnectionHost {
  log(text: string): void;
  onToolsChanged(): void;
  onPromptsChanged(): void;
  /** Called once, when the server is gone; not if `close` was called. */
  onEnded(code: number | null): void;
  /** Sign-ins of this machine; null where there are none. */
  signIns: SignInStore | null;
  /** Called when a request takes the token of a sign-in, which asks these origins beside the server's own. */
  onSignedIn(origins: readonly string[]): void;
  /** Answers a form of a call that goes on; null if none does. */
  answer(form: FormRequest): Promise<Record<string, unknown> | null>;
}

/** Server that answers. */
export interface ServerConnection {
  /** Version of the protocol that both speak. */
  readonly protocol: string;
  /** Process of a server that was started; null if it is reached over HTTP. */
  readonly pid: number | null;
  tools(): Promise<ListedTool[]>;
  prompts(): Promise<ListedPrompt[]>;
  /** Resolves with the text of a prompt. */
  prompt(name: string, values: Record<string, string>): Promise<string>;
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallResult>;
  close(): Promise<void>;
}

/** Connects to a server. Rejects with why that is not possible; nothing of it is left then. */
export type Connect = (reach: StdioServer | HttpServer, host: ConnectionHost, signal: AbortSignal) => Promise<ServerConnection>;

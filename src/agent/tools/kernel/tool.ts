import type { ApprovalQuestion } from '../../kernel/approvalQuestion';
import type { z } from 'zod';
import type { ImageRef } from '../../../protocol/context/imageRef';
import type { EntryData, EntryInput, FoundPlace } from '../../../protocol/entries';
import type { PlanProgress } from '../../../protocol/plan';
import type { Todo } from '../../../protocol/todos';
import type { ToolFacts } from '../../../protocol/toolFacts';
import type { Grants } from '../../../protocol/webviewEvents';
import type { BegunCommand } from '../../../types/checkpoint';
import type { ChatMode } from '../../../types/modes';
import type { WireTool } from '../../../types/ollama';
import type { PersonsQuestion } from '../../approvals/questionManager';
import type { Grantable, GrantCheck } from '../../approvals/sessionGrants';
import type { EditHistory } from '../edit/editHistory';
import { readArguments, type ArgumentAliases } from './toolArguments';
import { wireSchema } from './wireSchema';

type ResultData = EntryData<'tool_result'>;

export interface ToolResult {
  status: ResultData['status'];
  /** Holds what the model reads. */
  content: string;
  /** For the row: lines read, exit code and the like. */
  summary?: string;
  /** Holds what opening the row shows where that differs from `content`. */
  display?: string;
  details?: NonNullable<ResultData['details']>;
  /** Lines that were found in files of the workspace, the best first. */
  places?: FoundPlace[];
  /** The whole list, of a tool that has set it. */
  todos?: Todo[];
  /** Id of the step of a plan that is done with this. */
  doneStep?: string;
  /** Call whose result says the same. */
  sameAs?: string;
  /** Images that came with it, kept by `ToolContext.keepImage`. */
  images?: ImageRef[];
  /** Something that the person has to know whatever the model makes of it; said once in a run. */
  notice?: Extract<EntryInput, { type: 'system_message' }>;
}

/** Holds what a tool may use of the run that it works for. */
export interface ToolContext {
  readonly sessionId: string;
  readonly callId: string;
  /** Model of the run. */
  readonly model: string | null;
  /** Fires on Stop and when the tool's time is up. */
  readonly signal: AbortSignal;
  /** Tells whether the model has a tool of this name, so that a result may send it there. */
  readonly offers: (tool: string) => boolean;
  /** Returns the plan that is carried out; null if none is. */
  readonly plan: () => PlanProgress | null;
  /** To be called just before a file changes. Throws `CancelledError` once `signal` has fired; after it, Stop and the time wait for the call. */
  readonly beginWriting: () => void;
  /** Awaited just before a command runs in an absolute folder: what the workspace is then is kept. Rejects with `CancelledError`. */
  readonly beginCommand: (folder?: string) => Promise<BegunCommand>;
  /**
   * Asks a person and waits; false when they decline. Rejects with `CancelledError` when the run ends first. An answer that holds for the
   * session covers the files of `check`; one to a question about changed files covers them too.
   */
  readonly approve: (question: ApprovalQuestion, check?: GrantCheck) => Promise<boolean>;
  /** Asks a person something else and waits; empty when they leave it to the agent. Rejects as `approve` does. */
  readonly ask: (question: PersonsQuestion) => Promise<string>;
  /** Holds what the person has allowed for this session without a question. */
  readonly grants: () => Promise<Grants>;
  /** Tells whether the person has allowed this very thing for this session. Throws `StorageError`. */
  readonly checkGrant: (what: Grantable) => Promise<GrantCheck>;
  /** Puts into the log that such a grant stood for a question. */
  readonly noteUnasked: (kind: ApprovalQuestion['kind']) => Promise<void>;
  /** Returns the answer to a change of a file's text that is not wanted here; null where it is. Absent where every change is. */
  readonly refuses?: (before: string, after: string) => ToolResult | null;
  /** Keeps an image that belongs to the result. Rejects with an `AppError` where the bytes are none that a model can be shown. */
  readonly keepImage: (bytes: Uint8Array) => Promise<ImageRef>;
  /** Puts a step of another agent into the log, linked to this call. */
  readonly recordStep: (step: Omit<EntryData<'subagent_step'>, 'callId'>) => Promise<void>;
  /** Holds what became of the edits before; absent where nothing is known of them. */
  readonly edits?: EditHistory;
  /** Puts a file edit into the log, linked to this call. */
  readonly recordEdit: (edit: Omit<EntryData<'file_edit'>, 'callId'>) => Promise<void>;
}

/** Arguments that fit the tool, ready to run, or what is wrong with them, for the model. */
export type PreparedCall =
  | { isValid: true; input: Record<string, unknown>; ignored: string[]; run: (context: ToolContext) => Promise<ToolResult> }
  | { isValid: false; problem: string };

export interface Tool {
  readonly name: string;
  /** Holds what models call it that know it from elsewhere, in small letters and digits alone. */
  readonly otherNames: readonly string[];
  readonly wire: WireTool;
  /** Holds what its calls carry into the log: what they may change, and how their rows look. */
  readonly facts: ToolFacts;
  /** Modes that it is offered in. `every`: it only looks, so that calls of it may run side by side. `work`: those that offer all tools. */
  readonly modes: 'every' | 'work';
  /** Modes that offer it besides. */
  readonly alsoIn: readonly ChatMode[];
  /** `plan`: offered only while a plan is carried out. `noPlan`: only while none is. `failedEdits`: once edits of a file failed again and again. */
  readonly when?: 'plan' | 'noPlan' | 'failedEdits';
  /** Tells whether `agent.toolTimeout` applies. */
  readonly isTimed: boolean;
  /** True if calls of it may run side by side with others that only look. */
  readonly isBeside: boolean;
  /** Left out where the context window is small. */
  readonly isExtra: boolean;
  /** Tells whether it is called again and again while something goes on: that only time has passed since is news then. */
  readonly isWaiting: boolean;
  /** Returns what the row shows of a call, from whatever arguments the model gave. */
  label(input: Record<string, unknown>): string | undefined;
  prepare(input: Record<string, unknown>): PreparedCall;
  /** Returns the text that a call replaces, for a person to see while the call is written. */
  readonly textBefore?: TextBefore;
}

/** Null where there is none, or where nothing of it is to be shown before a person is asked. */
export type TextBefore = (path: string, sessionId: string) => Promise<string | null>;

export interface ToolDefinition<S extends z.ZodObject> {
  name: string;
  otherNames?: readonly string[];
  description: string;
  schema: S;
  effect: ToolFacts['effect'];
  /** Default: a row of the family `other` that says “Used”, with the name. */
  row?: Omit<ToolFacts, 'effect'>;
  /** Default: `work`. Only what has no effect may be in every mode. */
  modes?: Tool['modes'];
  alsoIn?: Tool['alsoIn'];
  when?: Tool['when'];
  /** Other names that models use for an argument. */
  aliases?: ArgumentAliases;
  /** Puts what models write in other shapes into the one that the schema has, before it is read. */
  adapt?: (input: Record<string, unknown>) => Record<string, unknown>;
  isTimed?: boolean;
  /** Default: true for what is in every mode. */
  isBeside?: boolean;
  isExtra?: boolean;
  isWaiting?: boolean;
  textBefore?: TextBefore;
  label(input: z.output<S>): string | undefined;
  /** Expected failures are results or thrown `AppError`s; the model reads the `modelMessage` of one. */
  run(input: z.output<S>, context: ToolContext): Promise<ToolResult>;
}

const asItIs = (input: Record<string, unknown>) => input;

export function defineTool<S extends z.ZodObject>(definition: ToolDefinition<S>): Tool {
  const { name, description, schema, effect, row = { family: 'other' }, aliases = {}, adapt = asItIs } = definition;
  const { otherNames = [], modes = 'work', alsoIn = [], when, isTimed = true, isExtra = false, isWaiting = false } = definition;
  const { isBeside = modes === 'every' } = definition;
  return {
    ...{ name, otherNames, modes, alsoIn, isTimed, isBeside, isExtra, isWaiting },
    ...(when !== undefined && { when }),
    facts: { effect, ...row },
    ...(definition.textBefore && { textBefore: definition.textBefore }),
    wire: { type: 'function', function: { name, description, parameters: wireSchema(schema) } },
    label: (input) => {
      const read = readArguments(schema, aliases, adapt(input));
      return read.isValid ? definition.label(read.value) : undefined;
    },
    prepare: (input) => {
      const read = readArguments(schema, aliases, adapt(input));
      if (!read.isValid) return { isValid: false, problem: `${name} was not run: ${read.problem}` };
      return { isValid: true, input: read.value, ignored: read.ignored, run: (context) => definition.run(read.value, context) };
    },
  };
}

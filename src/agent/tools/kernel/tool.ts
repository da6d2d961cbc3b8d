import type { ApprovalQuestion } from '../../kernel/approvalQuestion';
import type { z } from 'zod';
import type { ImageRef } from '../../../protocol/context/imageRef';
import type { EntryData, EntryInput, FoundPlace } from '../../../protocol/entries';
import type { PlanProgress } from '../../../protocol/plan';
import type { Todo } from '../../../protocol/todos';
import type { ToolFacts } from '../../../protocol/toolFacts';
import type { Grants } from '../../../protocol/requests/grants';
import type { BeginCommand } from '../../../types/checkpoint';
import type { ChatMode } from '../../../types/modes';
import type { WireTool } from '../../../types/ollama';
import type { ApprovalAnswer } from '../../approvals/approvalManager';
import type { PersonsQuestion } from '../../approvals/questionManager';
import type { Grantable, GrantCheck } from '../../approvals/sessionGrants';
import type { EditHistory } from '../edit/editHistory';
import type { Phrase } from '../../../utils/l10n';
import { readArguments, type ArgumentAliases } from './toolArguments';
import { wireSchema } from './wireSchema';

type ResultData = EntryData<'tool_result'>;

interface ResultParts {
  /** Text for the model. */
  content: string;
  details?: NonNullable<ResultData['details']>;
  /** Lines found in workspace files, the best first. */
  places?: FoundPlace[];
  /** Whole todo list, set by the tool for todos. */
  todos?: Todo[];
  /** Id of the plan step that this call completes. */
  doneStep?: string;
  /** Earlier call with the same result. */
  sameAs?: string;
  /** Images of the result, stored by `ToolContext.keepImage`. */
  images?: ImageRef[];
  /** Present if the command ran in the sandbox. */
  sandbox?: ResultData['sandbox'];
  /** Notice for the user, shown once per run. */
  notice?: Extract<EntryInput, { type: 'system_message' }>;
}

/** Texts for the user. `summary`: for the row, such as lines read or the exit code. `display`: for the opened row, instead of `content`. */
interface ShownTexts {
  summary: string;
  display: string;
}

/** Result of a failed call. Its `summary` is the reason in the display language. */
export type FailedResult = ResultParts & { status: 'error' } & ShownTexts;

export type ToolResult = FailedResult | (ResultParts & { status: Exclude<ResultData['status'], 'error'> } & Partial<ShownTexts>);

/** Access of a tool to its run. */
export interface ToolContext {
  readonly sessionId: string;
  readonly callId: string;
  readonly model: string | null;
  /** Fires on Stop and at the tool's time limit. */
  readonly signal: AbortSignal;
  /** Returns whether the model has a tool with this name, so that a result can refer to it. */
  readonly offers: (tool: string) => boolean;
  /** Returns the plan in progress; null without one. */
  readonly plan: () => PlanProgress | null;
  /**
   * Called just before a file changes. Throws `CancelledError` once `signal` has fired. Afterwards
   * Stop and the time limit wait for the call.
   */
  readonly beginWriting: () => void;
  /** Awaited just before a command runs in an absolute folder. Preserves the state of the workspace. Rejects with `CancelledError`. */
  readonly beginCommand: BeginCommand;
  /**
   * Asks the user for approval; resolves with false if they decline. Rejects with `CancelledError` when the run ends first. An answer for
   * the session, or to a question about changed files, covers the files of `check`.
   */
  readonly approve: (question: ApprovalQuestion, check?: GrantCheck) => Promise<boolean>;
  /**
   * Asks the user about a command that failed because of the sandbox. A host that they allow is stored. Rejects as `approve` does.
   */
  readonly askAboutDenial: (question: ApprovalQuestion) => Promise<ApprovalAnswer>;
  /** Asks the user a question; resolves with an empty text if they skip it. Rejects as `approve` does. */
  readonly ask: (question: PersonsQuestion) => Promise<string>;
  /** Returns the user's permissions for this session. */
  readonly grants: () => Promise<Grants>;
  /** Returns whether the user has allowed exactly this for the session. Throws `StorageError`. */
  readonly checkGrant: (what: Grantable) => Promise<GrantCheck>;
  /** Reasons to ask before this call deletes or replaces a whole file; usually none. */
  readonly callReasons: readonly Phrase[];
  /** Logs that a permission of the session replaced a question. `isSandboxed`: it was the level *Run in the sandbox*. */
  readonly logAutoApproval: (kind: ApprovalQuestion['kind'], isSandboxed?: boolean) => Promise<void>;
  /** Returns the result for a text change that is not allowed; null if it is allowed. Absent if every change is. */
  readonly refuses?: (before: string, after: string) => ToolResult | null;
  /** Stores an image of the result. Rejects with an `AppError` if the bytes are not a supported image. */
  readonly keepImage: (bytes: Uint8Array) => Promise<ImageRef>;
  /** Logs a step of a subagent, linked to this call. */
  readonly recordStep: (step: Omit<EntryData<'subagent_step'>, 'callId'>) => Promise<void>;
  /** Outcomes of earlier edits; absent if unknown. */
  readonly edits?: EditHistory;
  /** Logs a file edit, linked to this call. */
  readonly recordEdit: (edit: Omit<EntryData<'file_edit'>, 'callId'>) => Promise<void>;
}

/** Checked arguments, or a description of the problem for the model. */
export type PreparedCall =
  | { isValid: true; input: Record<string, unknown>; ignored: string[]; run: (context: ToolContext) => Promise<ToolResult> }
  | { isValid: false; problem: string };

export interface Tool {
  readonly name: string;
  /** Names that models know from other products, in lower-case letters and digits only. */
  readonly otherNames: readonly string[];
  readonly wire: WireTool;
  /** Data of the tool's calls in the log: their effect and their row. */
  readonly facts: ToolFacts;
  /**
   * Modes that offer the tool. `every`: all modes with tools; the tool only reads, so its calls may run in
   * parallel. `work`: modes that offer all tools.
   */
  readonly modes: 'every' | 'work';
  /** Additional modes that offer the tool. */
  readonly alsoIn: readonly ChatMode[];
  /** Condition to offer the tool. `plan`: a plan is carried out. `noPlan`: none is. `failedEdits`: edits of a file failed repeatedly. */
  readonly when?: 'plan' | 'noPlan' | 'failedEdits';
  /** True if `agent.toolTimeout` applies. */
  readonly isTimed: boolean;
  /** True if its calls may run in parallel with reading calls. */
  readonly isParallel: boolean;
  /** True if it is left out of small context windows. */
  readonly isOptional: boolean;
  /** Returns whether a call deletes, runs a command or acts outside the workspace, from any arguments. */
  destroys(input: Record<string, unknown>): boolean;
  /** True if a server or another extension adds it. */
  readonly isExternal?: boolean;
  /** True if the tool is called repeatedly to wait, so that a changed time in its result is progress. */
  readonly isPolling: boolean;
  /** Returns the text of a call in its row, from any arguments. */
  label(input: Record<string, unknown>): string | undefined;
  prepare(input: Record<string, unknown>): PreparedCall;
  /** Returns the text that a call replaces, for the preview of an edit in progress. */
  readonly textBefore?: TextBefore;
}

/** Resolves with null if there is no text, or it must not be shown before approval. */
export type TextBefore = (path: string, sessionId: string) => Promise<string | null>;

export interface ToolDefinition<S extends z.ZodObject> {
  name: string;
  otherNames?: readonly string[];
  description: string;
  schema: S;
  effect: ToolFacts['effect'];
  /** Default: a row of the family `other` with “Used” and the name. */
  row?: Omit<ToolFacts, 'effect'>;
  /** Default: `work`. Only tools without an effect may use `every`. */
  modes?: Tool['modes'];
  alsoIn?: Tool['alsoIn'];
  when?: Tool['when'];
  /** Other names that models use for an argument. */
  aliases?: ArgumentAliases;
  /** Converts other shapes that models write to the shape of the schema, before parsing. */
  adapt?: (input: Record<string, unknown>) => Record<string, unknown>;
  isTimed?: boolean;
  /** Default: true for tools in every mode. */
  isParallel?: boolean;
  isOptional?: boolean;
  isPolling?: boolean;
  /** Default: true for effects beyond files. Calls that cannot be read count too. */
  destroys?: (input: z.output<S>) => boolean;
  textBefore?: TextBefore;
  label(input: z.output<S>): string | undefined;
  /** Runs the call. Expected failures are results or thrown `AppError`s, whose `modelMessage` the model gets. */
  run(input: z.output<S>, context: ToolContext): Promise<ToolResult>;
}

const unchanged = (input: Record<string, unknown>) => input;

export function defineTool<S extends z.ZodObject>(definition: ToolDefinition<S>): Tool {
  const { name, description, schema, effect, row = { family: 'other' }, aliases = {}, adapt = unchanged } = definition;
  const {
    otherNames = [],
    modes = 'work',
    alsoIn = [],
    when,
    isTimed = true,
    isOptional = false,
    isPolling = false,
  } = definition;
  const { isParallel = modes === 'every' } = definition;
  return {
    ...{ name, otherNames, modes, alsoIn, isTimed, isParallel, isOptional, isPolling },
    ...(when !== undefined && { when }),
    facts: { effect, ...row },
    ...(definition.textBefore && { textBefore: definition.textBefore }),
    wire: { type: 'function', function: { name, description, parameters: wireSchema(schema) } },
    destroys: (input) => {
      const read = readArguments(schema, aliases, adapt(input));
      if (definition.destroys) return !read.isValid || definition.destroys(read.value);
      return effect === 'command' || effect === 'outside';
    },
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

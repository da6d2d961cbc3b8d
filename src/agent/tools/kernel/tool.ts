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
  /** Lines found in workspace files, with the best first. */
  places?: FoundPlace[];
  /** Complete todo list, set by the tool for todos. */
  todos?: Todo[];
  /** Id of the plan step that the call completes. */
  doneStep?: string;
  /** Earlier call with the same result. */
  sameAs?: string;
  /** Images of the result, as stored by `ToolContext.keepImage`. */
  images?: ImageRef[];
  /** Present if the command ran in the sandbox. */
  sandbox?: ResultData['sandbox'];
  /** Notice for the user, shown once per run. */
  notice?: Extract<EntryInput, { type: 'system_message' }>;
}

/** Texts for the user. The row shows `summary`, such as the exit code. The expanded row shows `display` instead of `content`. */
interface ShownTexts {
  summary: string;
  display: string;
}

/** Result of a failed call. `summary` is the reason in the display language. */
export type FailedResult = ResultParts & { status: 'error' } & ShownTexts;

export type ToolResult = FailedResult | (ResultParts & { status: Exclude<ResultData['status'], 'error'> } & Partial<ShownTexts>);

/** Functions and data of the run that a tool can use. */
export interface ToolContext {
  readonly sessionId: string;
  readonly callId: string;
  readonly model: string | null;
  /** Aborted on Stop and at the tool's time limit. */
  readonly signal: AbortSignal;
  /** Returns whether the model has a tool with this name, so that a result can refer to it. */
  readonly offers: (tool: string) => boolean;
  /** Returns the plan in progress, or null if there is none. */
  readonly plan: () => PlanProgress | null;
  /**
   * Must be called directly before a file changes. Throws `CancelledError` if `signal`
   * is aborted. After this call, Stop and the time limit wait for the tool.
   */
  readonly beginWriting: () => void;
  /** Preserves the workspace before a command runs in an absolute folder. Must be awaited. Rejects with `CancelledError`. */
  readonly beginCommand: BeginCommand;
  /**
   * Asks the user for approval. Resolves with false if the user declines. Rejects with `CancelledError` when the run
   * ends first. An approval for the session, or after a question about changed files, covers the files of `check`.
   */
  readonly approve: (question: ApprovalQuestion, check?: GrantCheck) => Promise<boolean>;
  /** Asks about a command that failed because of the sandbox. Stores an allowed host. Rejects as `approve` does. */
  readonly askAboutDenial: (question: ApprovalQuestion) => Promise<ApprovalAnswer>;
  /** Asks the user a question. Resolves with an empty text if the user skips it. Rejects as `approve` does. */
  readonly ask: (question: PersonsQuestion) => Promise<string>;
  /** Returns the user's permissions for this session. */
  readonly grants: () => Promise<Grants>;
  /** Returns whether the user has allowed exactly this command or tool for the session. Throws `StorageError`. */
  readonly checkGrant: (what: Grantable) => Promise<GrantCheck>;
  /** Reasons that require approval before the call deletes or replaces a whole file. Usually empty. */
  readonly callReasons: readonly Phrase[];
  /** Logs that a session permission replaced a question. `isSandboxed` is true for the level *Run in the sandbox*. */
  readonly logAutoApproval: (kind: ApprovalQuestion['kind'], isSandboxed?: boolean) => Promise<void>;
  /** Returns the result for a text change that is not allowed, or null if it is allowed. Absent if all changes are allowed. */
  readonly refuses?: (before: string, after: string) => ToolResult | null;
  /** Stores an image of the result. Rejects with an `AppError` if the bytes are not a supported image. */
  readonly keepImage: (bytes: Uint8Array) => Promise<ImageRef>;
  /** Logs a step of a subagent for this call. */
  readonly recordStep: (step: Omit<EntryData<'subagent_step'>, 'callId'>) => Promise<void>;
  /** Outcomes of earlier edits. Absent if unknown. */
  readonly edits?: EditHistory;
  /** Logs a file edit for this call. */
  readonly recordEdit: (edit: Omit<EntryData<'file_edit'>, 'callId'>) => Promise<void>;
}

/** Validated arguments, or a description of the problem for the model. */
export type PreparedCall =
  | { isValid: true; input: Record<string, unknown>; ignored: string[]; run: (context: ToolContext) => Promise<ToolResult> }
  | { isValid: false; problem: string };

export interface Tool {
  readonly name: string;
  /** Names that models know from other products, with only lowercase letters and digits. */
  readonly otherNames: readonly string[];
  readonly wire: WireTool;
  /** Effect of the tool and format of its row, as stored in the log. */
  readonly facts: ToolFacts;
  /**
   * Modes that offer the tool. `every` includes all modes with tools. The tool must only read,
   * so that its calls can run in parallel. `work` includes the modes that offer all tools.
   */
  readonly modes: 'every' | 'work';
  /** Additional modes that offer the tool. */
  readonly alsoIn: readonly ChatMode[];
  /**
   * Condition for offering the tool. `plan` and `noPlan` depend on a
   * plan in progress, `failedEdits` on repeated failed edits to a file.
   */
  readonly when?: 'plan' | 'noPlan' | 'failedEdits';
  /** True if the setting `agent.toolTimeout` applies. */
  readonly isTimed: boolean;
  /** True if calls to the tool may run in parallel with reading calls. */
  readonly isParallel: boolean;
  /** True if the tool is omitted in small context windows. */
  readonly isOptional: boolean;
  /** Returns whether a call deletes, runs a command or acts outside the workspace. Accepts any arguments. */
  destroys(input: Record<string, unknown>): boolean;
  /** True if an MCP server or another extension adds the tool. */
  readonly isExternal?: boolean;
  /** True if the tool is called repeatedly to wait, so that a changed time in the result counts as progress. */
  readonly isPolling: boolean;
  /** Returns the text that describes a call in its row. Accepts any arguments. */
  label(input: Record<string, unknown>): string | undefined;
  prepare(input: Record<string, unknown>): PreparedCall;
  /** Returns the text before an edit, for the preview of an edit in progress. */
  readonly textBefore?: TextBefore;
}

/** Resolves with null if there is no text, or if it must not be shown before approval. */
export type TextBefore = (path: string, sessionId: string) => Promise<string | null>;

export interface ToolDefinition<S extends z.ZodObject> {
  name: string;
  otherNames?: readonly string[];
  description: string;
  schema: S;
  effect: ToolFacts['effect'];
  /** The default is a row of the family `other` with “Used” and the name. */
  row?: Omit<ToolFacts, 'effect'>;
  /** The default is `work`. Only tools without an effect may use `every`. */
  modes?: Tool['modes'];
  alsoIn?: Tool['alsoIn'];
  when?: Tool['when'];
  /** Alternative argument names that models use. */
  aliases?: ArgumentAliases;
  /** Converts other shapes that models write to the shape of the schema. Runs before parsing. */
  adapt?: (input: Record<string, unknown>) => Record<string, unknown>;
  isTimed?: boolean;
  /** The default is true for tools in every mode. */
  isParallel?: boolean;
  isOptional?: boolean;
  isPolling?: boolean;
  /** The default is true for effects beyond files. Unreadable calls count too. */
  destroys?: (input: z.output<S>) => boolean;
  textBefore?: TextBefore;
  label(input: z.output<S>): string | undefined;
  /** Runs the call. Expected failures are results or thrown `AppError`s. The model receives their `modelMessage`. */
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
    name,
    otherNames,
    modes,
    alsoIn,
    isTimed,
    isParallel,
    isOptional,
    isPolling,
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

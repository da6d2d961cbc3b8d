import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EditHistory } from '../../../../src/agent/tools/edit/editHistory';
import type { EditServices } from '../../../../src/agent/tools/edit/editing';
import { FileAccess } from '../../../../src/agent/approvals/fileAccess';
import { FileChanges } from '../../../../src/services/files/fileChanges';
import { noTouchListener, type FileTouch, type TouchListener } from '../../../../src/services/files/fileTouch';
import type { DiagnosticsWatcher, FileDiagnostic } from '../../../../src/agent/kernel/ports';
import type { WorkspaceFolder } from '../../../../src/services/files/workspacePorts';
import { failure } from '../../../../src/agent/tools/kernel/toolFailure';
import type { Tool, ToolContext, ToolResult } from '../../../../src/agent/tools/kernel/tool';
import type { ApprovalQuestion } from '../../../../src/agent/kernel/approvalQuestion';
import { WorkspacePaths } from '../../../../src/services/files/workspacePaths';
import { Settings } from '../../../../src/config/settings';
import { allAids } from '../../../../src/agent/kernel/modelAids';
import type { ApprovalAnswer } from '../../../../src/agent/approvals/approvalManager';
import type { PersonsQuestion } from '../../../../src/agent/approvals/questionManager';
import type { Grants } from '../../../../src/protocol/requests/grants';
import type { EntryData } from '../../../../src/protocol/entries';
import type { SessionRecord } from '../../../../src/types/session';
import { AppError, CancelledError, isCancelled, throwIfAborted } from '../../../../src/utils/errors';
import { EditorsDouble, noProblems } from './editorDoubles';

/** Real folders for tools. Records their questions and edits. */
export class ToolBench {
  readonly questions: ApprovalQuestion[] = [];
  readonly edits: Omit<EntryData<'file_edit'>, 'callId'>[] = [];
  /** Files that were about to change. */
  readonly touches: FileTouch[] = [];
  /** Files that did not change after all. */
  readonly withdrawn: string[] = [];
  onTouch: (touch: FileTouch) => Promise<void> | void = () => undefined;
  readonly editors = new EditorsDouble();
  private readonly listener: TouchListener = {
    ...noTouchListener,
    beforeTouch: async (touch) => {
      this.touches.push(touch);
      await this.onTouch(touch);
    },
    withdrawTouch: async ({ path }) => void this.withdrawn.push(path),
  };

  readonly changes = new FileChanges(this.editors, this.listener);
  diagnostics: DiagnosticsWatcher = noProblems;
  /** Returns the problems that the editor reports now. */
  problems: () => FileDiagnostic[] = () => [];
  stopping = new AbortController();
  /** Actions that a permission allowed to run without a question. */
  readonly unasked: string[] = [];
  readonly asked: PersonsQuestion[] = [];
  answer = '';
  isApproved = true;
  /** Promises for the ends of commands that continue after their call. */
  readonly followed: Promise<unknown>[] = [];
  /** Answers to questions about sandbox denials, in order. When they run out, `denied`. */
  readonly denialAnswers: (ApprovalAnswer | 'cancelled')[] = [];
  /** Tools that the model does not have. */
  readonly missing = new Set<string>();
  /** Edit history for the tools; none by default. */
  history: EditHistory | null = null;
  onQuestion: () => Promise<void> | void = () => undefined;
  readonly settings: Record<string, unknown> = {};
  session: Pick<SessionRecord, 'sensitive_file_patterns' | 'auto_approve_sensitive_edits'> = {
    sensitive_file_patterns: null,
    auto_approve_sensitive_edits: 0,
  };

  grants: Grants = { commands: false, sandbox: false, hosts: [], sensitiveEdits: false, allowedCommands: [], files: [] };
  private constructor(
    /** Folder above the workspace. */
    readonly root: string,
    readonly folders: WorkspaceFolder[],
  ) {}

  /** Creates one folder for each name. */
  static async start(...names: string[]): Promise<ToolBench> {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-tools-')));
    const folders: WorkspaceFolder[] = [];
    for (const name of names.length > 0 ? names : ['project']) {
      folders.push({ name, path: await mkdtemp(path.join(root, `${name}-`)) });
    }
    return new ToolBench(root, folders);
  }

  readonly images: Uint8Array[] = [];

  get paths(): WorkspacePaths {
    return new WorkspacePaths({ folders: () => this.folders });
  }

  get access(): FileAccess {
    const settings = new Settings({ get: (key) => this.settings[key] }, ({ problem }) => {
      throw new Error(problem);
    });
    return new FileAccess(this.paths, settings, { get: async () => this.session as SessionRecord });
  }

  /** Services of the tools that change files. */
  get editing(): EditServices {
    return {
      access: this.access,
      changes: this.changes,
      aids: allAids,
      diagnostics: { watch: (path) => this.diagnostics.watch(path), diagnostics: async () => this.problems() },
    };
  }

  /** Returns a path in the first folder. */
  file(...parts: string[]): string {
    return path.join(this.folders[0]?.path ?? '', ...parts);
  }

  run(tool: Tool, input: Record<string, unknown>): Promise<ToolResult> {
    const prepared = tool.prepare(input);
    if (!prepared.isValid) throw new Error(prepared.problem);
    const context: ToolContext = {
      sessionId: 'session',
      callId: 'call',
      signal: this.stopping.signal,
      offers: (name) => !this.missing.has(name),
      model: 'worker',
      plan: () => null,
      recordStep: async () => undefined,
      keepImage: async (bytes) => {
        this.images.push(bytes);
        return { hash: String(this.images.length).padStart(64, '0'), type: 'image/png', width: 1, height: 1 };
      },
      beginCommand: async () => {
        throwIfAborted(this.stopping.signal);
        return { goesOn: (until) => void this.followed.push(until) };
      },
      beginWriting: () => throwIfAborted(this.stopping.signal),
      approve: async (question) => {
        this.questions.push(question);
        await this.onQuestion();
        return this.isApproved;
      },
      askAboutDenial: async (question) => {
        this.questions.push(question);
        const answer = this.denialAnswers.shift() ?? 'denied';
        if (answer === 'cancelled') throw new CancelledError();
        return answer;
      },
      ask: async (question) => {
        this.asked.push(question);
        return this.answer;
      },
      ...(this.history !== null && { edits: this.history }),
      callReasons: [],
      grants: async () => this.grants,
      checkGrant: async ({ command, cwd }) => {
        const isGranted = this.grants.allowedCommands.some((one) => one.command === command && one.cwd === cwd);
        return { state: isGranted ? 'holds' : 'none', files: {} };
      },
      logAutoApproval: async (kind, isSandboxed) =>
        void this.unasked.push(isSandboxed === true ? `${kind} in the sandbox` : kind),
      recordEdit: async (edit) => void this.edits.push(edit),
    };
    return prepared.run(context);
  }

  /** Like `run`, but returns an expected failure as the model's result. */
  async attempt(tool: Tool, input: Record<string, unknown>): Promise<ToolResult> {
    try {
      return await this.run(tool, input);
    } catch (error) {
      if (!(error instanceof AppError) || isCancelled(error)) throw error;
      return failure({ local: error.userMessage, english: error.modelMessage });
    }
  }

  async stop(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

import path from 'node:path';
import { isBelow } from '../../../utils/files/isInside';
import type { CheckpointConfig } from '../../../config/configTypes';
import type { ToolEffect } from '../../../protocol/toolFacts';
import { notFollowed, type BeginCommand, type CheckpointKind } from '../../../types/checkpoint';
import { systemClock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter } from '../../../utils/emitter';
import { AppError, isCancelled, throwIfAborted } from '../../../utils/errors';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import { commandCheckpointTitles } from '../../database/sessions/checkpointName';
import { builtInLeftOut } from './builtInLeftOut';
import type { CheckpointedFolders, LeftOutFolder } from './checkpointedFolders';
import type { TakeRequest } from '../checkpointTable';
import type { CommandChangeRecorder } from './commandChanges';
import type { HistoryKeeper } from './historyKeeper';
import type { EngineClient } from './engineClient';
import type { Damage } from '../engine/objects/objectDamage';
import type { Workspace } from '../engine/manifests/snapshotTaker';

export interface CheckpointsHost {
  getCheckpointConfig(): CheckpointConfig;
  /** Returns the folders that may be read. There are none in an untrusted workspace. */
  checkpointed(): CheckpointedFolders;
  /** Returns the `seq` of a session's last entry, or 0 if there is none. */
  lastSeq(sessionId: string): Promise<number>;
  /** Reports a failure to the user. */
  onProblem(userMessage: string): void;
  logger: Logger;
}

interface GuardedCall {
  readonly sessionId: string;
  readonly callId: string;
  readonly effect: ToolEffect;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

interface Taking {
  onTaken: (id: string) => void;
  /** See `TakeRequest`. Called when all earlier checkpoints are taken. */
  follows?: () => string | null;
  /** True if a failure is only logged. */
  isOptional?: boolean;
}

/** Command that continues after its tool call has returned. */
interface BackgroundCommand {
  readonly sessionId: string;
  readonly callId: string;
  readonly command: unknown;
  /** Checkpoint before the command. */
  readonly before: string;
  readonly unkept: readonly string[];
  /** True if the run that started the command has ended. */
  hasOutlivedRun: boolean;
}

type Problem = 'failure' | 'limit' | 'damage' | 'builtIn' | LeftOutFolder['problem'];

/**
 * Takes checkpoints automatically: before each message while the model loads, and around each command. Changes to files wait for
 * pending checkpoints. If a checkpoint fails, reports this once and continues without it. Does not cover home folders.
 */
export class Checkpoints implements Disposable {
  private readonly pending = new Map<string, Promise<void>>();
  /** Commands whose tool call is running. The checkpoint after the command has not been taken yet. */
  private readonly running = new Set<GuardedCall>();
  private readonly background = new Set<BackgroundCommand>();
  /** Commands that ended after their tool call. Their changes are compared when no command of their session is running. */
  private readonly ended = new Set<BackgroundCommand>();
  private readonly reported = new Set<Problem>();
  private readonly takenForMessage: Emitter<string>;
  private isDisposed = false;

  constructor(
    private readonly engine: Pick<EngineClient, 'care' | 'checkpoints'>,
    private readonly host: CheckpointsHost,
    private readonly changes?: Pick<CommandChangeRecorder, 'record'>,
    private readonly histories?: Pick<HistoryKeeper, 'keep'>,
  ) {
    this.takenForMessage = new Emitter((error) => host.logger.error('A listener of the checkpoints failed', error));
  }

  /** Fires with the id of each checkpoint taken before a message. */
  get onDidTakeForMessage() {
    return this.takenForMessage.event;
  }

  /** See the agent's `ChangeGuard`. */
  runBegun(sessionId: string): void {
    this.begin(sessionId, async (workspace, { seq }) => {
      const taken = await this.engine.checkpoints.takeForMessage(sessionId, workspace, seq);
      const last = taken.at(-1);
      if (last !== undefined) this.takenForMessage.fire(last.id);
    });
  }

  /** See the agent's `ChangeGuard`. Reports what the commands that are still running have changed so far. */
  runEnded(sessionId: string): void {
    const commands = [...this.background].filter((command) => command.sessionId === sessionId && !command.hasOutlivedRun);
    for (const command of commands) command.hasOutlivedRun = true;
    this.takeForCommands(sessionId, commands, 'during');
  }

  /** See the agent's `ChangeGuard`. */
  async around<T>(call: GuardedCall, work: (beginCommand: BeginCommand) => Promise<T>): Promise<T> {
    const { sessionId, callId, effect, input, signal } = call;
    await this.ready(sessionId, signal);
    if (effect !== 'command' || !this.host.getCheckpointConfig().aroundCommands) return work(() => Promise.resolve(notFollowed));
    const titles = commandCheckpointTitles(input.command);
    let before: string | undefined;
    let ended: Promise<unknown> | undefined;
    let unkept: string[] = [];
    const beginCommand: BeginCommand = async (folder, isSandboxed = false) => {
      throwIfAborted(signal);
      this.running.add(call);
      this.take(sessionId, 'command_before', titles.before, { onTaken: (id) => (before = id) });
      await this.ready(sessionId, signal);
      if (before !== undefined && folder !== undefined && typeof input.command === 'string') {
        const coming = { sessionId, checkpointId: before, command: input.command, folder, isSandboxed, signal };
        unkept = (await this.histories?.keep(coming)) ?? [];
        throwIfAborted(signal);
      }
      return { goesOn: (until) => void (ended = until) };
    };
    const onTaken = (after: string) => {
      if (before !== undefined) void this.changes?.record({ sessionId, callId, before, after, unkept });
    };
    try {
      return await work(beginCommand);
    } finally {
      // Only the next change to files waits for this checkpoint.
      if (this.running.delete(call))
        this.take(sessionId, 'command_after', titles.after, { onTaken, follows: () => before ?? null });
      this.compareEnded(sessionId);
      if (ended && before !== undefined)
        void this.follow({ sessionId, callId, command: input.command, before, unkept, hasOutlivedRun: false }, ended);
    }
  }

  /** Prepares for a tool's change to a file. Stores an ignored file with the last checkpoint and the next one. Never rejects. */
  async stage(sessionId: string, file: string): Promise<void> {
    const workspace = this.workspace();
    const root = workspace?.roots.find((folder) => isBelow(file, folder));
    if (workspace === null || root === undefined || this.isDisposed) return;
    const relative = path.relative(root, file).split(path.sep).join('/');
    await this.engine.checkpoints.stage(sessionId, workspace, root, relative).catch((error: unknown) => this.report(error));
  }

  /**
   * Resolves when the session's pending checkpoints are stored or have
   * failed. Rejects with `CancelledError` if the signal aborts first.
   */
  async ready(sessionId: string, signal: AbortSignal): Promise<void> {
    const pending = this.pending.get(sessionId);
    if (pending === undefined) return;
    // A signal that is already aborted fires no event.
    throwIfAborted(signal);
    await Promise.race([pending, new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))]);
    throwIfAborted(signal);
  }

  /** Stops taking checkpoints. To end pending checkpoints, dispose the engine. */
  dispose(): void {
    this.isDisposed = true;
  }

  /** Takes another checkpoint when the command ends, unless the window is closed first. Never rejects. */
  private async follow(command: BackgroundCommand, ended: Promise<unknown>): Promise<void> {
    this.background.add(command);
    const isOver = await ended.then(
      () => true,
      () => false,
    );
    this.background.delete(command);
    if (!isOver) return;
    this.ended.add(command);
    this.compareEnded(command.sessionId);
  }

  /** Does nothing while a command is running, because that command's changes are known only when its checkpoint begins. */
  private compareEnded(sessionId: string): void {
    if ([...this.running].some((call) => call.sessionId === sessionId)) return;
    const commands = [...this.ended].filter((command) => command.sessionId === sessionId);
    for (const command of commands) this.ended.delete(command);
    this.takeForCommands(sessionId, commands, 'after');
  }

  /**
   * Takes one checkpoint for all commands. It has no checkpoint to compare with, because other changes may be mixed in. A restore
   * therefore attributes its changes to no session.
   */
  private takeForCommands(sessionId: string, commands: readonly BackgroundCommand[], when: 'during' | 'after'): void {
    if (commands.length === 0) return;
    const title = commandCheckpointTitles(commands.map(({ command }) => command).join(', '))[when];
    const onTaken = (after: string) => {
      for (const { callId, before, unkept } of commands) void this.changes?.record({ sessionId, callId, before, after, unkept });
    };
    // Optional, because the session may be deleted or the window may be closing.
    this.take(sessionId, 'command_after', title, { onTaken, follows: () => null, isOptional: true });
  }

  private take(sessionId: string, kind: CheckpointKind, title: string, { onTaken, follows, isOptional = false }: Taking): void {
    const work = async (workspace: Workspace, asked: TakeRequest) => {
      const options = follows === undefined ? asked : { ...asked, follows: follows() };
      const taken = (await this.engine.checkpoints.takeNow(sessionId, kind, title, workspace, options)).at(-1);
      if (taken !== undefined) onTaken(taken.id);
    };
    this.begin(sessionId, work, isOptional);
  }

  private begin(
    sessionId: string,
    work: (workspace: Workspace, asked: Required<Pick<TakeRequest, 'at' | 'seq'>>) => Promise<void>,
    isOptional = false,
  ): void {
    const workspace = this.workspace();
    if (workspace === null || this.isDisposed) return;
    // Other checkpoints may be taken first. A message that is sent in the meantime comes after this checkpoint.
    const at = systemClock.now();
    const lastSeq = this.host.lastSeq(sessionId);
    const before = this.pending.get(sessionId) ?? Promise.resolve();
    // The chain below reports the rejection later. This handler only prevents an unhandled rejection.
    lastSeq.catch(() => undefined);
    const pending = before
      .then(() => lastSeq)
      .then((seq) => work(workspace, { at, seq }))
      .catch((error: unknown) => (isOptional ? this.host.logger.warn('A checkpoint was not stored', error) : this.report(error)));
    this.pending.set(sessionId, pending);
    void pending.then(() => {
      if (this.pending.get(sessionId) === pending) this.pending.delete(sessionId);
      // Run this check in the background.
      void this.checkStored().catch((error: unknown) => this.host.logger.warn('What is stored is not known', error));
    });
  }

  private workspace(): Workspace | null {
    const { isEnabled, exclude, maxFileBytes } = this.host.getCheckpointConfig();
    if (!isEnabled) return null;
    const { roots, leftOut } = this.host.checkpointed();
    for (const { problem, text } of leftOut) this.warnOnce(problem, text);
    if (!this.reported.has('builtIn')) this.reportBuiltInList(roots, exclude);
    return roots.length > 0 ? { roots, exclude, maxFileBytes } : null;
  }

  /** Reports the folders that only the built-in list excludes, once per window. */
  private reportBuiltInList(roots: readonly string[], exclude: readonly string[]): void {
    const folders = roots.flatMap((root) => builtInLeftOut(root, exclude));
    const [first] = folders;
    if (first === undefined) return;
    const text = t(
      'Checkpoints store only small text files from {0}, because folders with this name usually contain generated files. To store all files, add a line such as “!/{1}/” to the setting “Excluded files”.',
      folders.map((name) => t('“{0}”', name)).join(', '),
      first,
    );
    this.warnOnce('builtIn', text);
  }

  private async checkStored(): Promise<void> {
    if ((this.reported.has('limit') && this.reported.has('damage')) || this.isDisposed) return;
    const { maxStorageBytes } = this.host.getCheckpointConfig();
    const { bytes, damage } = await this.engine.care.usage();
    // Exceeding the limit removes nothing automatically, so notify the user.
    const text = t('Checkpoints use more disk space than the limit allows. To free up space, open Checkpoints in the settings.');
    if (bytes > maxStorageBytes) this.warnOnce('limit', text);
    if (damage.healed + damage.left > 0 && !this.reported.has('damage')) this.reportDamage(damage);
  }

  /** Reports damage. Content was stored again if a workspace file still has it. Other content is lost. */
  private reportDamage({ healed, left }: Damage): void {
    this.host.logger.error(`Stored contents were damaged: ${healed} are stored anew, ${left} cannot be read`);
    this.warnOnce(
      'damage',
      left === 0
        ? t('Some stored file contents were damaged or missing. All {0} were repaired from your files.', healed)
        : t(
            'Some stored file versions are damaged or missing. {0} were repaired from your files, {1} cannot be restored. To list the files, select Verify under Checkpoints in the settings.',
            healed,
            left,
          ),
    );
  }

  private report(error: unknown): void {
    if (isCancelled(error)) return;
    this.host.logger.error('A checkpoint was not stored', error);
    const text = t('Could not store the state of the workspace, so it cannot be restored later.');
    this.warnOnce('failure', error instanceof AppError ? `${text} ${error.userMessage}` : text);
  }

  /** Reports a problem only once per window, because it would occur again with every message. */
  private warnOnce(problem: Problem, text: string): void {
    if (this.reported.has(problem) || this.isDisposed) return;
    this.reported.add(problem);
    this.host.onProblem(text);
  }
}

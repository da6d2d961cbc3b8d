import path from 'node:path';
import { isBelow } from '../../../utils/files/isInside';
import type { CheckpointConfig } from '../../../config/configTypes';
import type { ToolEffect } from '../../../protocol/toolFacts';
import { notFollowed, type BegunCommand, type CheckpointKind } from '../../../types/checkpoint';
import { systemClock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter } from '../../../utils/emitter';
import { AppError, isCancelled, throwIfAborted } from '../../../utils/errors';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import { commandCheckpointTitles } from '../../database/sessions/checkpointName';
import { builtInLeftOut } from './builtInLeftOut';
import type { CheckpointedFolders, LeftOutFolder } from './checkpointedFolders';
import type { Asked } from '../checkpointTable';
import type { CommandChanges } from './commandChanges';
import type { HistoryKeeper } from './historyKeeper';
import type { EngineClient } from './engineClient';
import type { Damage } from '../engine/objects/objectDamage';
import type { Workspace } from '../engine/manifests/snapshotTaker';

export interface CheckpointsHost {
  getCheckpointConfig(): CheckpointConfig;
  /** Returns the folders whose files may be read; none where the workspace is not trusted. */
  checkpointed(): CheckpointedFolders;
  /** `seq` of the last entry of a session; 0: it has none. */
  lastSeq(sessionId: string): Promise<number>;
  /** A failure that the person should know of, in their words. */
  onProblem(userMessage: string): void;
  logger: Logger;
}

/** Holds what is around a call that may change files. */
interface GuardedCall {
  readonly sessionId: string;
  readonly callId: string;
  readonly effect: ToolEffect;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

interface Taking {
  onTaken: (id: string) => void;
  /** See `Asked`; called once all before it are taken. */
  follows?: () => string | null;
  /** A person need not know where it fails. */
  isOptional?: boolean;
}

/** A command that goes on after its call. */
interface GoingCommand {
  readonly sessionId: string;
  readonly callId: string;
  readonly command: unknown;
  /** The checkpoint before it. */
  readonly before: string;
  readonly unkept: readonly string[];
  /** The run that began it has ended. */
  isOutlasting: boolean;
}

type Problem = 'failure' | 'limit' | 'damage' | 'builtIn' | LeftOutFolder['problem'];

/**
 * Takes checkpoints by itself: before each message, while the model loads, and around each command. What changes files waits for the ones
 * that are under way. One that fails is marked so and told once; the work goes on without it. None are taken of a folder that holds the
 * person's home.
 */
export class Checkpoints implements Disposable {
  private readonly pending = new Map<string, Promise<void>>();
  /** Commands whose call is not over: the checkpoint after each is still to come. */
  private readonly running = new Set<GuardedCall>();
  private readonly going = new Set<GoingCommand>();
  /** Commands that have ended, and are looked at when none of their session is running. */
  private readonly ended = new Set<GoingCommand>();
  private readonly told = new Set<Problem>();
  private readonly takenForMessage: Emitter<string>;
  private isDisposed = false;

  constructor(
    private readonly engine: Pick<EngineClient, 'care' | 'checkpoints'>,
    private readonly host: CheckpointsHost,
    private readonly changes?: Pick<CommandChanges, 'tell'>,
    private readonly histories?: Pick<HistoryKeeper, 'keep'>,
  ) {
    this.takenForMessage = new Emitter((error) => host.logger.error('A listener of the checkpoints failed', error));
  }

  /** Fires with the id of each checkpoint that was taken before a message. */
  get onDidTakeForMessage() {
    return this.takenForMessage.event;
  }

  /** The agent's `ChangeGuard`. */
  runBegun(sessionId: string): void {
    this.begin(sessionId, async (workspace, { seq }) => {
      const taken = await this.engine.checkpoints.takeForMessage(sessionId, workspace, seq);
      const last = taken.at(-1);
      if (last !== undefined) this.takenForMessage.fire(last.id);
    });
  }

  /** The agent's `ChangeGuard`: what commands have changed that go on is told, as far as they have come. */
  runEnded(sessionId: string): void {
    const commands = [...this.going].filter((command) => command.sessionId === sessionId && !command.isOutlasting);
    for (const command of commands) command.isOutlasting = true;
    this.look(sessionId, commands, 'during');
  }

  /** The agent's `ChangeGuard`. */
  async around<T>(call: GuardedCall, work: (beginCommand: (folder?: string) => Promise<BegunCommand>) => Promise<T>): Promise<T> {
    const { sessionId, callId, effect, input, signal } = call;
    await this.ready(sessionId, signal);
    if (effect !== 'command' || !this.host.getCheckpointConfig().aroundCommands) return work(() => Promise.resolve(notFollowed));
    const titles = commandCheckpointTitles(input.command);
    let before: string | undefined;
    let ended: Promise<unknown> | undefined;
    let unkept: string[] = [];
    const beginCommand = async (folder?: string): Promise<BegunCommand> => {
      throwIfAborted(signal);
      this.running.add(call);
      this.take(sessionId, 'command_before', titles.before, { onTaken: (id) => (before = id) });
      await this.ready(sessionId, signal);
      if (before !== undefined && folder !== undefined && typeof input.command === 'string') {
        const coming = { sessionId, checkpointId: before, command: input.command, folder, signal };
        unkept = (await this.histories?.keep(coming)) ?? [];
        throwIfAborted(signal);
      }
      return { goesOn: (until) => void (ended = until) };
    };
    const onTaken = (after: string) => {
      if (before !== undefined) void this.changes?.tell({ sessionId, callId, before, after, unkept });
    };
    try {
      return await work(beginCommand);
    } finally {
      // Nobody waits for it but the next one who changes something.
      if (this.running.delete(call))
        this.take(sessionId, 'command_after', titles.after, { onTaken, follows: () => before ?? null });
      this.lookAtEnded(sessionId);
      if (ended && before !== undefined)
        void this.follow({ sessionId, callId, command: input.command, before, unkept, isOutlasting: false }, ended);
    }
  }

  /** Before a tool changes a file: one that is ignored is kept with the last checkpoint and taken into the next. Never rejects. */
  async stage(sessionId: string, file: string): Promise<void> {
    const workspace = this.workspace();
    const root = workspace?.roots.find((folder) => isBelow(file, folder));
    if (workspace === null || root === undefined || this.isDisposed) return;
    const relative = path.relative(root, file).split(path.sep).join('/');
    await this.engine.checkpoints.stage(sessionId, workspace, root, relative).catch((error: unknown) => this.tell(error));
  }

  /** Resolves once what was begun for the session is stored, or has failed. Rejects with `CancelledError` when the signal fires first. */
  async ready(sessionId: string, signal: AbortSignal): Promise<void> {
    const pending = this.pending.get(sessionId);
    if (pending === undefined) return;
    // One that has fired already tells nobody.
    throwIfAborted(signal);
    await Promise.race([pending, new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))]);
    throwIfAborted(signal);
  }

  /** Begins nothing more; what is under way ends with the engine. */
  dispose(): void {
    this.isDisposed = true;
  }

  /** Takes another checkpoint when the command has ended, unless that was with the window. Never rejects. */
  private async follow(command: GoingCommand, ended: Promise<unknown>): Promise<void> {
    this.going.add(command);
    const isOver = await ended.then(
      () => true,
      () => false,
    );
    this.going.delete(command);
    if (!isOver) return;
    this.ended.add(command);
    this.lookAtEnded(command.sessionId);
  }

  /** Not while another runs: what that one has left is known once the checkpoint after it is begun. */
  private lookAtEnded(sessionId: string): void {
    if ([...this.running].some((call) => call.sessionId === sessionId)) return;
    const commands = [...this.ended].filter((command) => command.sessionId === sessionId);
    for (const command of commands) this.ended.delete(command);
    this.look(sessionId, commands, 'after');
  }

  /** One for all of them. It follows none: what changed since a command began may be anybody's, so a restore takes it for nobody's. */
  private look(sessionId: string, commands: readonly GoingCommand[], when: 'during' | 'after'): void {
    if (commands.length === 0) return;
    const title = commandCheckpointTitles(commands.map(({ command }) => command).join(', '))[when];
    const onTaken = (after: string) => {
      for (const { callId, before, unkept } of commands) void this.changes?.tell({ sessionId, callId, before, after, unkept });
    };
    // Its session may be gone, and the window be closing.
    this.take(sessionId, 'command_after', title, { onTaken, follows: () => null, isOptional: true });
  }

  private take(sessionId: string, kind: CheckpointKind, title: string, { onTaken, follows, isOptional = false }: Taking): void {
    const work = async (workspace: Workspace, asked: Asked) => {
      const options = follows === undefined ? asked : { ...asked, follows: follows() };
      const taken = (await this.engine.checkpoints.takeNow(sessionId, kind, title, workspace, options)).at(-1);
      if (taken !== undefined) onTaken(taken.id);
    };
    this.begin(sessionId, work, isOptional);
  }

  private begin(
    sessionId: string,
    work: (workspace: Workspace, asked: Required<Pick<Asked, 'at' | 'seq'>>) => Promise<void>,
    isOptional = false,
  ): void {
    const workspace = this.workspace();
    if (workspace === null || this.isDisposed) return;
    // Others may be before it; a message that is sent meanwhile comes after it.
    const at = systemClock.now();
    const lastSeq = this.host.lastSeq(sessionId);
    const before = this.pending.get(sessionId) ?? Promise.resolve();
    // Where it fails, that is told in its turn: what waits for those before it goes on waiting.
    lastSeq.catch(() => undefined);
    const pending = before
      .then(() => lastSeq)
      .then((seq) => work(workspace, { at, seq }))
      .catch((error: unknown) => (isOptional ? this.host.logger.warn('A checkpoint was not stored', error) : this.tell(error)));
    this.pending.set(sessionId, pending);
    void pending.then(() => {
      if (this.pending.get(sessionId) === pending) this.pending.delete(sessionId);
      // Nobody waits for it.
      void this.checkStored().catch((error: unknown) => this.host.logger.warn('What is stored is not known', error));
    });
  }

  private workspace(): Workspace | null {
    const { isEnabled, exclude, maxFileBytes } = this.host.getCheckpointConfig();
    if (!isEnabled) return null;
    const { roots, leftOut } = this.host.checkpointed();
    for (const { problem, text } of leftOut) this.tellOnce(problem, text);
    if (!this.told.has('builtIn')) this.tellOfBuiltInList(roots, exclude);
    return roots.length > 0 ? { roots, exclude, maxFileBytes } : null;
  }

  /** Names, once a window, the folders that are left out though nobody said so. */
  private tellOfBuiltInList(roots: readonly string[], exclude: readonly string[]): void {
    const folders = roots.flatMap((root) => builtInLeftOut(root, exclude));
    const [first] = folders;
    if (first === undefined) return;
    const text = t(
      'Checkpoints hold only small text files of {0}: tools usually make folders of that name. To store one completely, add a line such as “!/{1}/” to the setting checkpoints.exclude.',
      folders.map((name) => `“${name}”`).join(', '),
      first,
    );
    this.tellOnce('builtIn', text);
  }

  private async checkStored(): Promise<void> {
    if ((this.told.has('limit') && this.told.has('damage')) || this.isDisposed) return;
    const { maxStorageBytes } = this.host.getCheckpointConfig();
    const { bytes, damage } = await this.engine.care.usage();
    // Nothing is removed for it, so a person has to know.
    if (bytes > maxStorageBytes)
      this.tellOnce('limit', t('Checkpoints take more room than you allow. What can go is in the settings, under Checkpoints.'));
    if (damage.healed + damage.left > 0 && !this.told.has('damage')) this.tellDamage(damage);
  }

  /** Tells of damage. It heals where the files still have the content; nobody can bring back what they do not have. */
  private tellDamage({ healed, left }: Damage): void {
    this.host.logger.error(`Stored contents were damaged: ${healed} are stored anew, ${left} cannot be read`);
    this.tellOnce(
      'damage',
      left === 0
        ? t('Stored file contents were damaged or missing. All {0} are stored anew from your files.', healed)
        : t(
            'Stored file contents are damaged or missing: {0} were stored anew from your files, {1} cannot be brought back. Verify in the settings, under Checkpoints, names the files.',
            ...[healed, left],
          ),
    );
  }

  private tell(error: unknown): void {
    if (isCancelled(error)) return;
    this.host.logger.error('A checkpoint was not stored', error);
    const text = t('The state of the workspace could not be stored, so it cannot be brought back.');
    this.tellOnce('failure', error instanceof AppError ? `${text} ${error.userMessage}` : text);
  }

  /** Once a window: whatever it is, it will be so at the next message too. */
  private tellOnce(problem: Problem, text: string): void {
    if (this.told.has(problem) || this.isDisposed) return;
    this.told.add(problem);
    this.host.onProblem(text);
  }
}

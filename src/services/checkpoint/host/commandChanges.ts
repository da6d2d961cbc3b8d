import type { Entry, EntryData, EntryInput } from '../../../protocol/entries';
import type { Logger } from '../../../utils/logger';
import type { EngineClient } from './engineClient';
import type { HistoryKeeper } from './historyKeeper';
import { isAllCovered, shownFolder, shownPath, shownUncovered } from './shownPath';

/** Largest number of files named per command. All are counted. */
const maxNamed = 50;

/** A command between two checkpoints. */
export interface CheckpointedCommand {
  sessionId: string;
  callId: string;
  before: string;
  after: string;
  /** Absolute folders whose Git history the command may have deleted and that could not be kept. */
  unkept?: readonly string[];
}

export interface CommandChangesHost {
  folders(): readonly { name: string; path: string }[];
  logger: Logger;
}

/**
 * Writes to a session's log what changed while a command ran, whatever the cause. Writes nothing if nothing changed, unless a new entry
 * must replace an earlier one because the command continued after its call.
 */
export class CommandChanges {
  /** Calls with an entry in the log. */
  private readonly recorded = new Set<string>();

  constructor(
    private readonly engine: Pick<EngineClient, 'checkpoints' | 'histories'>,
    private readonly log: { append(sessionId: string, input: EntryInput): Promise<Entry> },
    private readonly host: CommandChangesHost,
    private readonly keeper?: Pick<HistoryKeeper, 'intactSince'>,
  ) {}

  /** Appends the entry. Never rejects: both checkpoints are stored even if the entry fails. */
  async record(command: CheckpointedCommand): Promise<void> {
    try {
      const data = await this.dataOf(command);
      if (data === null) return;
      await this.log.append(command.sessionId, { type: 'checkpoint', data });
      this.recorded.add(command.callId);
    } catch (error) {
      this.host.logger.warn('What a command changed is not told', error);
    }
  }

  private async dataOf({
    callId,
    before,
    after,
    unkept: all = [],
  }: CheckpointedCommand): Promise<EntryData<'checkpoint'> | null> {
    const { title } = await this.engine.checkpoints.info(after);
    const { count, changes, uncovered } = await this.engine.checkpoints.changesAround(before, after, maxNamed);
    const intact = (await this.keeper?.intactSince(before)) ?? [];
    const kept = (await this.engine.histories.of(before)).filter(({ folder }) => !intact.includes(folder));
    const unkept = all.filter((folder) => !intact.includes(folder));
    const isCovered = isAllCovered(uncovered);
    if (count === 0 && isCovered && kept.length + unkept.length === 0 && !this.recorded.has(callId)) return null;
    const folders = this.host.folders();
    const files = changes.map(({ root, path: inside, status, lines }) => {
      return {
        path: shownPath(folders, { root, path: inside }),
        status: status === 'added' ? ('created' as const) : status,
        lines,
      };
    });
    const histories = kept.map(({ folder, ...one }) => ({ ...one, folder: shownFolder(folders, folder) }));
    const command = {
      callId,
      before,
      after,
      files,
      count,
      ...(!isCovered && { uncovered: shownUncovered(folders, uncovered) }),
      ...(histories.length > 0 && { kept: histories }),
      ...(unkept.length > 0 && { unkept: unkept.map((folder) => shownFolder(folders, folder)) }),
    };
    return { kind: 'command_after', title, command };
  }
}

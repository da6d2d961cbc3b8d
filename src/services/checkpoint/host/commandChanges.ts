import type { Entry, EntryData, EntryInput } from '../../../protocol/entries';
import type { Logger } from '../../../utils/logger';
import type { EngineClient } from './engineClient';
import type { HistoryKeeper } from './historyKeeper';
import { isAllCovered, shownFolder, shownPath, shownUncovered } from './shownPath';

/** Maximum number of files to list per command. Their count includes all of them. */
const maxNamed = 50;

/** Command with the checkpoints before and after it. */
export interface CheckpointedCommand {
  sessionId: string;
  callId: string;
  before: string;
  after: string;
  /** Absolute paths of folders whose Git history could not be saved. The command may have deleted this history. */
  unkept?: readonly string[];
}

export interface CommandChangesHost {
  folders(): readonly { name: string; path: string }[];
  logger: Logger;
}

/**
 * Writes the changes that occurred during a command to the session's log, whatever caused them. If nothing changed, writes an
 * entry only to replace an earlier entry, which exists if the command continued after its call.
 */
export class CommandChangeRecorder {
  /** Ids of calls with an entry in the log. */
  private readonly recorded = new Set<string>();

  constructor(
    private readonly engine: Pick<EngineClient, 'checkpoints' | 'histories'>,
    private readonly log: { append(sessionId: string, input: EntryInput): Promise<Entry> },
    private readonly host: CommandChangesHost,
    private readonly keeper?: Pick<HistoryKeeper, 'intactSince'>,
  ) {}

  /** Appends the entry. Never rejects, because both checkpoints are stored even if the entry fails. */
  async record(command: CheckpointedCommand): Promise<void> {
    try {
      const data = await this.createData(command);
      if (data === null) return;
      await this.log.append(command.sessionId, { type: 'checkpoint', data });
      this.recorded.add(command.callId);
    } catch (error) {
      this.host.logger.warn('What a command changed is not told', error);
    }
  }

  private async createData({
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

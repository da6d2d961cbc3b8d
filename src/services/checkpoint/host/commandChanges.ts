import type { Entry, EntryData, EntryInput } from '../../../protocol/entries';
import type { Logger } from '../../../utils/logger';
import type { EngineClient } from './engineClient';
import { isAllCovered, shownFolder, shownPath, shownUncovered } from './shownPath';

/** Files of one command that are named; all are counted. */
const maxNamed = 50;

/** A command between two checkpoints. */
export interface SurroundedCommand {
  sessionId: string;
  callId: string;
  before: string;
  after: string;
  /** Absolute folders of Git histories that it may have deleted and that were not kept. */
  unkept?: readonly string[];
}

export interface CommandChangesHost {
  /** Workspace folders. */
  folders(): readonly { name: string; path: string }[];
  logger: Logger;
}

/**
 * Writes into the log of a session what changed while a command ran, by it or by others; nothing where nothing did, unless something was told
 * of it before, which this replaces: it has gone on after its call.
 */
export class CommandChanges {
  /** The calls of which something was told. */
  private readonly told = new Set<string>();

  constructor(
    private readonly engine: Pick<EngineClient, 'checkpoints' | 'histories'>,
    private readonly log: { append(sessionId: string, input: EntryInput): Promise<Entry> },
    private readonly host: CommandChangesHost,
  ) {}

  /** Never rejects: both checkpoints are there whether or not the log tells of them. */
  async tell(command: SurroundedCommand): Promise<void> {
    try {
      const data = await this.dataOf(command);
      if (data === null) return;
      await this.log.append(command.sessionId, { type: 'checkpoint', data });
      this.told.add(command.callId);
    } catch (error) {
      this.host.logger.warn('What a command changed is not told', error);
    }
  }

  private async dataOf({ callId, before, after, unkept = [] }: SurroundedCommand): Promise<EntryData<'checkpoint'> | null> {
    const { title } = await this.engine.checkpoints.info(after);
    const { count, changes, uncovered } = await this.engine.checkpoints.changesAround(before, after, maxNamed);
    const kept = await this.engine.histories.of(before);
    const isCovered = isAllCovered(uncovered);
    if (count === 0 && isCovered && kept.length + unkept.length === 0 && !this.told.has(callId)) return null;
    const folders = this.host.folders();
    const files = changes.map(({ root, path: inside, status, lines }) => {
      return {
        path: shownPath(folders, { root, path: inside }),
        status: status === 'added' ? ('created' as const) : status,
        lines,
      };
    });
    const histories = kept.map(({ id, folder }) => ({ id, folder: shownFolder(folders, folder) }));
    const command = {
      ...{ callId, before, after, files, count },
      ...(!isCovered && { uncovered: shownUncovered(folders, uncovered) }),
      ...(histories.length > 0 && { kept: histories }),
      ...(unkept.length > 0 && { unkept: unkept.map((folder) => shownFolder(folders, folder)) }),
    };
    return { kind: 'command_after', title, command };
  }
}

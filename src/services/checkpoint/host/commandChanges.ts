import type { Entry, EntryData, EntryInput } from '../../../protocol/entries';
import type { Logger } from '../../../utils/logger';
import type { EngineClient } from './engineClient';
import { isAllCovered, shownPath, shownUncovered } from './shownPath';

/** Files of one command that are named; all are counted. */
const maxNamed = 50;

/** A command between two checkpoints. */
export interface SurroundedCommand {
  sessionId: string;
  callId: string;
  before: string;
  after: string;
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
    private readonly engine: Pick<EngineClient, 'checkpoints'>,
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

  private async dataOf({ callId, before, after }: SurroundedCommand): Promise<EntryData<'checkpoint'> | null> {
    const { title } = await this.engine.checkpoints.info(after);
    const { count, changes, uncovered } = await this.engine.checkpoints.changesAround(before, after, maxNamed);
    const isCovered = isAllCovered(uncovered);
    if (count === 0 && isCovered && !this.told.has(callId)) return null;
    const folders = this.host.folders();
    const files = changes.map(({ root, path, status, lines }) => {
      return { path: shownPath(folders, { root, path }), status: status === 'added' ? ('created' as const) : status, lines };
    });
    const command = { callId, before, after, files, count, ...(!isCovered && { uncovered: shownUncovered(folders, uncovered) }) };
    return { kind: 'command_after', title, command };
  }
}

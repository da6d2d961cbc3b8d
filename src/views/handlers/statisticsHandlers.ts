import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import type { DatabaseService } from '../../services/database/databaseService';
import type { Clock } from '../../utils/clock';
import { confirm } from '../../vscode/confirm';

const dayMs = 86_400_000;

export function statisticsHandlers(
  database: Pick<DatabaseService, 'statistics' | 'deleteStatistics'>,
  clock: Clock,
): Pick<HostApi, 'readStatistics' | 'deleteStatistics'> {
  return {
    readStatistics: ({ days }) => database.statistics(days === null ? 0 : Math.floor(clock.now() / dayMs) - days + 1),
    deleteStatistics: async () => {
      const isDeleted = await confirm({
        text: vscode.l10n.t('Delete statistics?'),
        detail: vscode.l10n.t('Deletes the recorded counts and times for answers, tools and suggestions. Chats are not deleted.'),
        yes: vscode.l10n.t('Delete'),
      });
      if (isDeleted) await database.deleteStatistics();
      return { isDeleted };
    },
  };
}

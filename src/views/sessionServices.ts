import type { SessionMemory } from '../agent/context/sessionMemory';
import type { SessionGrants } from '../agent/approvals/sessionGrants';
import type { ToolRegistry } from '../agent/tools/kernel/toolRegistry';
import type { ContextMeter } from '../agent/context/contextMeter';
import type { SessionController } from '../agent/loop/sessionController';
import type { McpServers } from '../mcp/mcpServers';
import type { PendingChanges } from '../services/review/pendingChanges';
import type { WorkSessions } from '../services/review/workSessions';
import type { PendingEditReviewService } from '../services/review/pendingEditReviewService';
import type { ReviewEditor } from '../services/review/reviewPorts';
import type { Instructions } from '../services/instructions/instructions';
import type { HistoryKeeper } from '../services/checkpoint/host/historyKeeper';
import type { Restores } from '../services/checkpoint/host/restores';
import type { StorageCare } from '../services/checkpoint/host/storageCare';
import type { DatabaseService } from '../services/database/databaseService';
import type { Codebase } from '../services/codebase/codebase';
import type { LanceSearchService } from '../services/codebase/messages/lanceSearchService';
import type { BackgroundCommands } from '../services/terminal/run/backgroundCommands';

/** Holds what works on the open storage and answers the view. */
export interface SessionServices {
  database: DatabaseService;
  messages: LanceSearchService;
  codebase: Codebase;
  controller: SessionController;
  meter: ContextMeter;
  instructions: Pick<Instructions, 'prompts' | 'agents'>;
  /** All tools that there are, offered or not. */
  registry: ToolRegistry;
  changes: PendingChanges;
  review: PendingEditReviewService;
  reviewEditor: Pick<ReviewEditor, 'show'>;
  restores: Restores;
  histories: HistoryKeeper;
  workSessions: WorkSessions;
  background: BackgroundCommands;
  grants: SessionGrants;
  memory: SessionMemory;
  care: StorageCare;
  mcp: McpServers;
}

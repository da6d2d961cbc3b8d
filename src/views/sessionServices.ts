import type { ModelExams } from '../agent/exam/modelExams';
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
import type { MessageSearch } from '../services/codebase/messages/messageSearch';
import type { SandboxState } from '../services/terminal/sandbox/sandboxPorts';
import type { PromptPreparer } from '../agent/prompt/promptPreparer';
import type { CommandOutputs } from '../services/terminal/run/commandOutputs';
import type { BackgroundCommands } from '../services/terminal/run/backgroundCommands';

export interface SessionServices {
  database: DatabaseService;
  messages: MessageSearch;
  codebase: Codebase;
  controller: SessionController;
  meter: ContextMeter;
  preparer: PromptPreparer;
  exams: ModelExams;
  instructions: Pick<Instructions, 'prompts' | 'agents'>;
  /** All tools, enabled or not. */
  registry: ToolRegistry;
  changes: PendingChanges;
  review: PendingEditReviewService;
  reviewEditor: Pick<ReviewEditor, 'show'>;
  restores: Restores;
  histories: HistoryKeeper;
  workSessions: WorkSessions;
  background: BackgroundCommands;
  commandOutputs: CommandOutputs;
  grants: SessionGrants;
  /** Returns the availability of the level *Run in the sandbox*. */
  sandboxLevelAvailable: () => Promise<SandboxState>;
  memory: SessionMemory;
  care: StorageCare;
  mcp: McpServers;
}

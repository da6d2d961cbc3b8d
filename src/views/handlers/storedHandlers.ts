import type { MentionReader } from '../../agent/prompt/mentionReader';
import type { HostApi } from '../../protocol/hostApi';
import type { Clock } from '../../utils/clock';
import type { ChangeReview } from '../../vscode/review/changeReview';
import type { SessionFeed } from '../feeds/sessionFeed';
import type { ActiveSession } from '../activeSession';
import type { SessionServices } from '../sessionServices';
import { examHandlers } from './models/examHandlers';
import { changeHandlers } from './changeHandlers';
import { checkpointStorageHandlers } from './checkpointStorageHandlers';
import { commandHandlers } from './commandHandlers';
import { memoryHandlers } from './memoryHandlers';
import { imageHandlers } from './imageHandlers';
import { indexHandlers } from './indexHandlers';
import { mcpFormHandlers } from './mcp/mcpFormHandlers';
import { mcpHandlers } from './mcp/mcpHandlers';
import { restoreHandlers } from './restoreHandlers';
import { statisticsHandlers } from './statisticsHandlers';
import { sessionHandlers, sessionListHandlers } from './sessionHandlers';

export interface StoredParts {
  mentions: Pick<MentionReader, 'read'>;
  clock: Clock;
  review: ChangeReview;
}

export function storedHandlers(
  services: SessionServices,
  feed: SessionFeed,
  activeSession: ActiveSession,
  { mentions, clock, review }: StoredParts,
) {
  const { database, controller, registry, restores, workSessions, background } = services;
  const sessions = sessionHandlers(
    database,
    controller,
    mentions,
    clock,
    (sessionId) => activeSession.show(sessionId),
    services.messages,
  );
  const onDeleted = (sessionId: string) => {
    void background.endSession(sessionId);
    if (sessionId !== activeSession.sessionId) return;
    feed.leave();
    activeSession.show(null);
  };
  return {
    listAgents: async () => ({
      agents: (await services.instructions.agents()).map(({ name, description, shown, model, handoffs }) => ({
        name,
        description,
        shown,
        model,
        handoffs: [...handoffs],
      })),
    }),
    listPrompts: async () => ({ prompts: await services.instructions.prompts() }),
    ...sessions,
    ...sessionListHandlers(database, controller, onDeleted),
    ...changeHandlers(services, review),
    ...restoreHandlers(restores, workSessions, services.histories, review, () => feed.refreshFiles()),
    ...commandHandlers(services),
    ...memoryHandlers(services.memory, () => feed.refresh()),
    ...checkpointStorageHandlers(services.care, (file) => restores.shown(file)),
    ...mcpHandlers(services.mcp, registry),
    ...mcpFormHandlers(services.mcp),
    ...indexHandlers(services.codebase),
    ...examHandlers(services.exams),
    ...imageHandlers(database.images),
    ...statisticsHandlers(database, clock),
    openSession: async (params) => {
      const snapshot = await feed.opens(params.sessionId, sessions.openSession(params));
      await activeSession.showMode(snapshot.session.mode);
      return snapshot;
    },
  } satisfies Partial<HostApi>;
}

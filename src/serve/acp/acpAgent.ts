import {
  agent,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ListSessionsRequest,
  type McpServer,
} from '@agentclientprotocol/sdk';
import { messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { HeadlessCore } from '../headlessCore';
import { AcpSession } from './acpSession';
import { AllowedFolders } from './allowedFolders';
import { FolderCores, type OpenCore } from './folderCores';
import { listSessions } from './sessionList';

export interface AcpSurroundings {
  /** Real paths of the allowed folders. If empty, the client chooses the folders. */
  folders: readonly string[];
  open: OpenCore;
  version: string;
  logger: Logger;
}

/** Parameters that open a session. */
interface Opening {
  cwd: string;
  mcpServers?: McpServer[] | undefined;
}

/** Serves the Agent Client Protocol (version 1). */
export class AcpAgent {
  readonly app: AgentApp;
  private readonly folders: AllowedFolders;
  private readonly cores: FolderCores;
  private readonly sessions = new Map<string, AcpSession>();

  constructor(private readonly around: AcpSurroundings) {
    this.folders = new AllowedFolders(around.folders);
    this.cores = new FolderCores(around.open, around.logger);
    this.app = agent({ name: 'ollama-copilot' })
      .onRequest('initialize', () => ({
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'ollama-copilot', title: 'Ollama Copilot', version: around.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: true, sse: false },
          sessionCapabilities: { list: {}, resume: {}, close: {} },
        },
        authMethods: [],
      }))
      .onRequest('session/new', ({ params, client }) => this.said(() => this.begin(params, client)))
      .onRequest('session/load', ({ params, client }) => this.said(() => this.reopen(params, client, 'replay')))
      .onRequest('session/resume', ({ params, client }) => this.said(() => this.reopen(params, client, 'resume')))
      .onRequest('session/list', ({ params }) => this.said(() => this.list(params)))
      .onRequest('session/close', ({ params }) => this.said(() => this.close(params.sessionId)))
      .onRequest('session/set_mode', ({ params }) =>
        this.said(async () => {
          await this.need(params.sessionId).setMode(params.modeId);
          return {};
        }),
      )
      .onRequest('session/set_config_option', ({ params }) =>
        this.said(async () => ({
          configOptions: await this.need(params.sessionId).setOption(params.configId, params.value),
        })),
      )
      .onRequest('session/prompt', ({ params }) =>
        this.said(async () => ({ stopReason: await this.need(params.sessionId).prompt(params.prompt) })),
      )
      .onNotification('session/cancel', ({ params }) => this.need(params.sessionId).cancel());
  }

  async dispose(): Promise<void> {
    for (const session of this.sessions.values()) session.dispose();
    await this.cores.dispose();
  }

  private async begin({ cwd, mcpServers = [] }: Opening, client: AgentContext) {
    const folder = this.folders.resolve(cwd);
    const place = await this.cores.take(folder, mcpServers);
    const record = await place.core.database.sessions.create({ title: '', mode: 'agent', model: null, projectPath: folder });
    await grantBySettings(place.core, record.id);
    const session = new AcpSession(record, place, client, this.around.logger);
    this.sessions.set(record.id, session);
    await session.follow(record.revision);
    return { sessionId: record.id, ...(await this.describeState(session)) };
  }

  private async reopen(
    { sessionId, cwd, mcpServers = [] }: Opening & { sessionId: string },
    client: AgentContext,
    how: 'replay' | 'resume',
  ) {
    const folder = this.folders.resolve(cwd);
    const { sessions } = (await this.cores.any(folder)).database;
    const record = await sessions.get(sessionId);
    if (record === undefined) throw RequestError.invalidParams(undefined, `Unknown session: ${sessionId}`);
    this.folders.assertHolds(folder, record);
    if (this.sessions.has(sessionId)) await this.close(sessionId);
    const place = await this.cores.take(folder, mcpServers);
    const session = new AcpSession(record, place, client, this.around.logger);
    this.sessions.set(sessionId, session);
    await (how === 'replay' ? session.replay() : session.follow(record.revision));
    return this.describeState(session);
  }

  private async list({ cwd, cursor }: ListSessionsRequest) {
    const folder = typeof cwd === 'string' ? this.folders.named(cwd) : null;
    const { sessions } = (await this.cores.any(this.folders.first)).database;
    return listSessions(sessions, { folder, cursor: cursor ?? null }, (one) => this.folders.includes(one));
  }

  private async close(id: string) {
    const session = this.need(id);
    this.sessions.delete(id);
    await session.close();
    await this.cores.release(session.place);
    return {};
  }

  /** Returns the state of a session for the response that opens it. Updates are sent after the response. */
  private async describeState(session: AcpSession) {
    const configOptions = await session.options();
    setImmediate(() => session.announce());
    return { modes: session.config.modeState(), configOptions };
  }

  private need(id: string): AcpSession {
    const session = this.sessions.get(id);
    if (session === undefined) throw RequestError.invalidParams(undefined, `Unknown session: ${id}`);
    return session;
  }

  /** Converts errors to protocol errors with a message. */
  private async said<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RequestError) throw error;
      throw RequestError.internalError(undefined, messageOf(error));
    }
  }
}

/** Applies the auto-approve level of the settings to a new session, as for new chats in the editor. */
async function grantBySettings({ settings, grants }: HeadlessCore, sessionId: string): Promise<void> {
  const commands = settings.getAgentConfig().autoApproveCommands;
  const sandbox = settings.getSandboxConfig().isEnabled;
  if (commands || sandbox) await grants.change(sessionId, { commands, sandbox });
}

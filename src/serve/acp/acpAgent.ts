import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  agent,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ContentBlock,
  type SessionModeState,
} from '@agentclientprotocol/sdk';
import { messageOf } from '../../utils/errors';
import { isInside } from '../../utils/files/isInside';
import type { Logger } from '../../utils/logger';
import type { HeadlessCore } from '../headlessCore';
import { AcpSession, type AcpMode } from './acpSession';

/** Surroundings of an agent of the protocol. */
export interface AcpSurroundings {
  /** Folders that sessions may work in, by their real paths; empty: those that the client names. */
  folders: readonly string[];
  /** Opens a core on one folder. */
  open(folder: { name: string; path: string }): Promise<HeadlessCore>;
  version: string;
  logger: Logger;
}

const modeNames: Record<AcpMode, string> = { ask: 'Ask', plan: 'Plan', agent: 'Agent' };

/** Serves the Agent Client Protocol (version 1) on cores of our own, one for each folder. */
export class AcpAgent {
  readonly app: AgentApp;
  private readonly cores = new Map<string, Promise<HeadlessCore>>();
  private readonly sessions = new Map<string, AcpSession>();

  constructor(private readonly around: AcpSurroundings) {
    this.app = agent({ name: 'ollama-copilot' })
      .onRequest('initialize', () => ({
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'ollama-copilot', title: 'Ollama Copilot', version: around.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: false, audio: false, embeddedContext: true },
          mcpCapabilities: { http: false, sse: false },
        },
        authMethods: [],
      }))
      .onRequest('session/new', ({ params, client }) => this.said(() => this.begin(params.cwd, client)))
      .onRequest('session/load', ({ params, client }) => this.said(() => this.load(params.sessionId, params.cwd, client)))
      .onRequest('session/set_mode', ({ params }) => {
        const mode = (['ask', 'plan', 'agent'] as const).find((one) => one === params.modeId);
        if (mode === undefined) throw RequestError.invalidParams(undefined, `There is no mode ${params.modeId}`);
        this.need(params.sessionId).mode = mode;
        return {};
      })
      .onRequest('session/prompt', ({ params }) =>
        this.said(async () => ({ stopReason: await this.need(params.sessionId).prompt(textOf(params.prompt)) })),
      )
      .onNotification('session/cancel', ({ params }) => this.need(params.sessionId).cancel());
  }

  async dispose(): Promise<void> {
    for (const session of this.sessions.values()) session.dispose();
    for (const core of this.cores.values()) await core.then((opened) => opened.dispose()).catch(() => undefined);
  }

  private async begin(cwd: string, client: AgentContext) {
    const { core, folder } = await this.coreOf(cwd);
    const { id, revision } = await core.database.sessions.create({ title: '', mode: 'agent', model: null, projectPath: folder });
    const session = new AcpSession(id, core, folder, client, this.around.logger);
    this.sessions.set(id, session);
    await session.follow(revision);
    return { sessionId: id, modes: modesOf(session) };
  }

  private async load(id: string, cwd: string, client: AgentContext) {
    const { core, folder } = await this.coreOf(cwd);
    if ((await core.database.sessions.get(id)) === undefined)
      throw RequestError.invalidParams(undefined, `There is no session ${id}`);
    this.sessions.get(id)?.dispose();
    const session = new AcpSession(id, core, folder, client, this.around.logger);
    this.sessions.set(id, session);
    await session.replay();
    return { modes: modesOf(session) };
  }

  private need(id: string): AcpSession {
    const session = this.sessions.get(id);
    if (session === undefined) throw RequestError.invalidParams(undefined, `There is no session ${id}`);
    return session;
  }

  private async coreOf(cwd: string): Promise<{ core: HeadlessCore; folder: string }> {
    const folder = this.folderOf(cwd);
    let opening = this.cores.get(folder);
    if (opening === undefined) {
      opening = this.around.open({ name: path.basename(folder) || folder, path: folder });
      this.cores.set(folder, opening);
      opening.catch(() => this.cores.delete(folder));
    }
    return { core: await opening, folder };
  }

  /** Returns the real folder, within those that were named. */
  private folderOf(cwd: string): string {
    if (!path.isAbsolute(cwd)) throw RequestError.invalidParams(undefined, `${cwd} is no absolute path`);
    let real: string;
    try {
      real = realpathSync.native(cwd);
      if (!statSync(real).isDirectory()) throw new Error();
    } catch {
      throw RequestError.invalidParams(undefined, `${cwd} is no folder`);
    }
    const { folders } = this.around;
    if (folders.length > 0 && !folders.some((folder) => real === folder || isInside(real, folder)))
      throw RequestError.invalidParams(undefined, `${cwd} is in none of the folders that this agent was started for`);
    return real;
  }

  /** Has failures reach the client in words. */
  private async said<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RequestError) throw error;
      throw RequestError.internalError(undefined, messageOf(error));
    }
  }
}

function modesOf({ mode }: AcpSession): SessionModeState {
  const availableModes = (['ask', 'plan', 'agent'] as const).map((id) => ({ id, name: modeNames[id] }));
  return { currentModeId: mode, availableModes };
}

/** Returns the text of a prompt. A file that was embedded comes along, of one that is linked the path. */
function textOf(blocks: readonly ContentBlock[]): string {
  const parts = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    if (block.type === 'resource_link') return [nameOf(block.uri)];
    if (block.type === 'resource' && 'text' in block.resource)
      return [`\n${nameOf(block.resource.uri)}:\n\`\`\`\`\n${block.resource.text}\n\`\`\`\`\n`];
    return [];
  });
  const text = parts.join('').trim();
  if (text === '') throw RequestError.invalidParams(undefined, 'The message is empty');
  return text;
}

function nameOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    // Of another kind, or of another system.
    return uri;
  }
}

import { sendJson, startHttpServer, type HttpServer } from './httpServer';

export interface ServedModel {
  digest: string;
  capabilities?: string[];
  contextLength?: number;
  parameters?: string;
  /** Status of an `/api/show` response that fails. */
  showStatus?: number;
}

/** Serves `/api/tags`, `/api/show` and `/api/ps` for models that a test can change. Counts parallel requests. */
export class ModelServer {
  readonly shown: string[] = [];
  lists = 0;
  mostShowsAtOnce = 0;
  /** Awaited before each response to `/api/show`. */
  beforeShow: () => Promise<void> = () => Promise.resolve();
  beforeList: () => Promise<void> = () => Promise.resolve();
  private showsNow = 0;
  private server: HttpServer | undefined;

  constructor(readonly models: Record<string, ServedModel>) {}

  get url(): string {
    return this.server?.url ?? '';
  }

  async start(port = 0): Promise<string> {
    this.server = await startHttpServer(
      async (response, request) => {
        if (request.path === '/api/tags') {
          this.lists += 1;
          await this.beforeList();
          sendJson(response, 200, { models: Object.entries(this.models).map(([name, { digest }]) => listed(name, digest)) });
        } else if (request.path === '/api/ps') {
          sendJson(response, 200, { models: [{ ...listed('a:latest', 'd'), context_length: 4096 }] });
        } else {
          const { model: name } = JSON.parse(request.body) as { model: string };
          this.shown.push(name);
          this.mostShowsAtOnce = Math.max(this.mostShowsAtOnce, (this.showsNow += 1));
          await this.beforeShow();
          this.showsNow -= 1;
          const model = this.models[name];
          if (model?.showStatus !== undefined) sendJson(response, model.showStatus, { error: 'cannot show' });
          else sendJson(response, 200, shown(model));
        }
      },
      '127.0.0.1',
      port,
    );
    return this.server.url;
  }

  /** Waits until the last request has ended. Returns true if its response was complete. */
  async lastEnded(): Promise<boolean | undefined> {
    return this.server?.requests.at(-1)?.ended;
  }

  get port(): number {
    return this.server?.port ?? 0;
  }

  async stop(): Promise<void> {
    await this.server?.close();
    this.server = undefined;
  }
}

function listed(name: string, digest: string): Record<string, unknown> {
  const details = { family: 'llama', parameter_size: '8B', quantization_level: 'Q4_0' };
  // The list reports other capabilities than `/api/show`, as on real servers.
  return { name, model: name, modified_at: 'x', size: 5, digest, details, capabilities: ['completion', 'insert'] };
}

function shown(model: ServedModel | undefined): Record<string, unknown> {
  const length = model?.contextLength;
  return {
    model_info: length === undefined ? {} : { 'general.architecture': 'llama', 'llama.context_length': length },
    capabilities: model?.capabilities ?? ['completion'],
    ...(model?.parameters !== undefined && { parameters: model.parameters }),
  };
}

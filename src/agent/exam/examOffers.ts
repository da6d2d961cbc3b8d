import { isCloudModel, type ModelInfo, type ModelList } from '../../types/model';
import { modelKey } from '../../types/modelNames';
import type { Disposable } from '../../utils/disposable';
import { isCancelled } from '../../utils/errors';
import type { Event } from '../../utils/emitter';
import type { Logger } from '../../utils/logger';

/** Offers made so far, by server (see `serverKey`) and model digest. */
export interface OfferStore {
  wasOffered(server: string, digest: string): Promise<boolean>;
  noteOffer(server: string, digest: string): Promise<void>;
}

interface OfferPorts {
  models: { list(): Promise<ModelList>; onDidChange: Event<ModelList> };
  store: OfferStore;
  server: () => string;
  /** Offers the exam of a model to the user. */
  offer: (model: string) => void;
  logger: Logger;
}

/** Key that marks the first model list of a server as handled. The models in that list are not new. */
const firstList = 'first list';

/** Offers the exam once for each new or changed chat model, including changes made while VS Code was closed. */
export class ExamOffers implements Disposable {
  private readonly listening: Disposable;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly ports: OfferPorts) {
    this.enqueue(async () => this.compare(await ports.models.list()));
    this.listening = ports.models.onDidChange((list) => this.enqueue(() => this.compare(list)));
  }

  /** Resolves when all changes so far have been handled. */
  settled(): Promise<void> {
    return this.work;
  }

  dispose(): void {
    void this.listening.dispose();
  }

  private enqueue(work: () => void | Promise<void>): void {
    this.work = this.work.then(work).catch((error: unknown) => {
      if (!isCancelled(error)) this.ports.logger.warn('Could not offer a model exam', error);
    });
  }

  private async compare({ models, stale, fetchedAt }: ModelList): Promise<void> {
    if (stale || fetchedAt === null) return;
    const { store, offer } = this.ports;
    const server = this.ports.server();
    const isFirst = !(await store.wasOffered(server, firstList));
    for (const model of models.filter(isOffered)) {
      if (await store.wasOffered(server, modelKey(model))) continue;
      await store.noteOffer(server, modelKey(model));
      if (!isFirst) offer(model.name);
    }
    if (isFirst) await store.noteOffer(server, firstList);
  }
}

/** Returns true for a local chat model without an exam. Base models for inline suggestions (fill-in-the-middle, no tools) do not count. */
function isOffered({ name, enabled, capabilities: { chat, fim, tools }, exam }: ModelInfo): boolean {
  return enabled && chat && (tools || !fim) && exam === undefined && !isCloudModel(name);
}

import { isCloudModel, type ModelInfo, type ModelList } from '../../types/model';
import { keyOf } from '../../types/modelNames';
import type { Disposable } from '../../utils/disposable';
import { isCancelled } from '../../utils/errors';
import type { Event } from '../../utils/emitter';
import type { Logger } from '../../utils/logger';

/** Memory of offers, by server (see `serverKey`) and digest. */
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

/** Stands in the store for the first list of a server, whose models are not new. */
const firstList = 'first list';

/** Offers the exam once for each chat model that was pulled, or whose digest has changed, also while the window was closed. */
export class ExamOffers implements Disposable {
  private readonly listening: Disposable;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly ports: OfferPorts) {
    this.enqueue(async () => this.compare(await ports.models.list()));
    this.listening = ports.models.onDidChange((list) => this.enqueue(() => this.compare(list)));
  }

  /** Resolves when all changes so far are handled. */
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
    const isOffered = ({ name, enabled, capabilities, exam }: ModelInfo) =>
      enabled && capabilities.chat && exam === undefined && !isCloudModel(name);
    for (const model of models.filter(isOffered)) {
      if (await store.wasOffered(server, keyOf(model))) continue;
      await store.noteOffer(server, keyOf(model));
      if (!isFirst) offer(model.name);
    }
    if (isFirst) await store.noteOffer(server, firstList);
  }
}

import assert from 'node:assert/strict';
import { ExamOffers, type OfferStore } from '../../../src/agent/exam/examOffers';
import type { ModelInfo, ModelList } from '../../../src/types/model';
import { Emitter } from '../../../src/utils/emitter';
import { silentLogger } from '../../../src/utils/logger';

const modelOf = (name: string, digest = name, more: Partial<ModelInfo> = {}): ModelInfo => ({
  name,
  digest,
  size: 1,
  family: null,
  parameterSize: null,
  quantization: null,
  contextLength: null,
  stop: [],
  enabled: true,
  capabilities: { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: false },
  ...more,
});
const listOf = (...models: ModelInfo[]): ModelList => ({ models, stale: false, fetchedAt: 1 });
const embedding = { chat: false, fim: false, tools: false, vision: false, embedding: true, thinking: false };
const suggesting = { chat: true, fim: true, tools: true, vision: false, embedding: false, thinking: false };

/** Records the offers in a window that starts with a stored model list. */
class Offering {
  readonly offered: string[] = [];
  server = 'http://one';
  private readonly lists = new Emitter<ModelList>((error) => assert.fail(String(error)));
  private readonly offers: ExamOffers;

  constructor(
    stored: ModelList,
    private readonly noted = new Set<string>(),
  ) {
    const store: OfferStore = {
      wasOffered: (server, digest) => Promise.resolve(this.noted.has(`${server} ${digest}`)),
      noteOffer: (server, digest) => Promise.resolve(void this.noted.add(`${server} ${digest}`)),
    };
    this.offers = new ExamOffers({
      models: { list: () => Promise.resolve(stored), onDidChange: this.lists.event },
      store,
      server: () => this.server,
      logger: silentLogger,
      offer: (model) => void this.offered.push(model),
    });
  }

  async list(...models: ModelInfo[]): Promise<void> {
    await this.offers.settled();
    this.lists.fire(listOf(...models));
    await this.offers.settled();
  }
}

describe('the offer of a model exam', () => {
  it('comes once for a pulled model and once for a changed digest, also in later windows', async () => {
    const noted = new Set<string>();
    const window = new Offering(listOf(modelOf('old')), noted);
    await window.list(modelOf('old'));
    await window.list(modelOf('old'), modelOf('pulled'));
    await window.list(modelOf('old', 'changed'), modelOf('pulled'));
    await window.list(modelOf('pulled'));
    await window.list(modelOf('old', 'changed'), modelOf('pulled'));
    assert.deepEqual(window.offered, ['pulled', 'old']);
    const next = new Offering(listOf(modelOf('old')), noted);
    await next.list(modelOf('old', 'changed'), modelOf('pulled'));
    assert.deepEqual(next.offered, []);
  });

  it('comes for a model that was pulled while no window was open', async () => {
    const noted = new Set<string>();
    await new Offering(listOf(modelOf('old')), noted).list(modelOf('old'));
    // The server responds with the new model before the first offers are made.
    const next = new Offering(listOf(modelOf('old'), modelOf('pulled')), noted);
    await next.list(modelOf('old'), modelOf('pulled'));
    assert.deepEqual(next.offered, ['pulled']);
  });

  it('does not come for the models of a first list or of another server', async () => {
    const window = new Offering({ models: [], stale: true, fetchedAt: null });
    await window.list(modelOf('first'));
    window.server = 'http://two';
    await window.list(modelOf('second'));
    assert.deepEqual(window.offered, []);
    await window.list(modelOf('second'), modelOf('third'));
    assert.deepEqual(window.offered, ['third']);
  });

  it('does not come for hidden, examined and cloud models, nor for models that cannot chat or only suggest code', async () => {
    const window = new Offering(listOf());
    const exam = { version: 1, tasks: [], window: 1, finishedAt: 1 };
    await window.list(
      modelOf('hidden', 'a', { enabled: false }),
      modelOf('examined', 'b', { exam }),
      modelOf('some:1b-cloud', 'c'),
      modelOf('embedding', 'd', { capabilities: embedding }),
      modelOf('coder:base', 'e', { capabilities: { ...suggesting, tools: false } }),
      modelOf('coder:instruct', 'f', { capabilities: suggesting }),
    );
    assert.deepEqual(window.offered, ['coder:instruct']);
  });
});

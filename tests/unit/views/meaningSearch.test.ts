import assert from 'node:assert/strict';
import type { MessageFinds } from '../../../src/services/codebase/messages/messageSearch';
import { searchByMeaning } from '../../../src/views/handlers/meaningSearch';
import { AgentBench } from '../agent/support/agentBench';
import { newSession, userInput } from '../database/support/stores';

describe('A search by meaning in the history', () => {
  let bench: AgentBench;
  beforeEach(async () => (bench = await AgentBench.start()));
  afterEach(() => bench.stop());

  const nothing: MessageFinds = { found: [], missing: null, isDamaged: false, isUnavailable: false };
  const search = async (finds: Partial<MessageFinds>) => {
    const { id } = await bench.database.sessions.create(newSession('Italien'));
    await bench.database.log.append(id, userInput('Wo liegt Rom?'));
    const messages = { searchHybrid: async () => ({ ...nothing, ...finds }) };
    const query = { query: 'Italien', offset: 0, limit: 50 };
    const { found, ...page } = await searchByMeaning(bench.database, messages, query);
    return { titles: found.map(({ title }) => title.text), ...page };
  };
  const page = { hasMore: false, isComplete: true, isIndexed: true };

  it('keeps the results by words, titles included, where no model is selected', async () => {
    const missing = { suggestion: null };
    assert.deepEqual(await search({ missing }), { titles: ['Italien'], ...page, missingModel: missing });
  });

  it('keeps them where no vector can be compared, and where the index is damaged', async () => {
    assert.deepEqual(await search({ isUnavailable: true }), { titles: ['Italien'], ...page, isUnavailable: true });
    assert.deepEqual(
      (await search({ isDamaged: true })).titles.filter((title, index) => index === 0 && title === 'Italien'),
      ['Italien'],
    );
  });
});

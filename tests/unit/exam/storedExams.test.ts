import assert from 'node:assert/strict';
import { ModelManager } from '../../../src/services/model/catalogue/modelManager';
import { OllamaClient } from '../../../src/services/model/client/ollamaClient';
import { examVersion, type ModelExam } from '../../../src/types/exam';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { examWith } from './support/exams';

const environment = { clock: systemClock, logger: silentLogger };
const exam = examWith({});
const digests = { first: 'a'.repeat(64), second: 'b'.repeat(64) };

describe('a stored exam', () => {
  let bench: AgentBench;
  let client: OllamaClient;
  beforeEach(async () => {
    bench = await AgentBench.start({ models: [{ name: 'worker', digest: digests.first }] });
    client = new OllamaClient({ baseUrl: () => bench.double.url, token: async () => undefined, ...environment });
  });
  afterEach(async () => {
    client.dispose();
    await bench.stop();
  });

  /** Returns the exam that a new window shows for the model. */
  async function shown(address = 'http://one:11434/path'): Promise<ModelExam | undefined> {
    const models = new ModelManager(client, bench.database.models, systemClock, silentLogger, () => address);
    const { exam: found } = await models.get('worker');
    models.dispose();
    return found;
  }

  it('belongs to the server and the digest', async () => {
    const { exams } = bench.database.models;
    await exams.keepExam('http://one:11434', digests.first, exam);
    assert.deepEqual(await shown(), exam);
    assert.equal(await shown('http://two:11434'), undefined);
    bench.double.addModel({ name: 'worker', digest: digests.second });
    assert.equal(await shown(), undefined);
    bench.double.addModel({ name: 'worker', digest: digests.first });
    assert.deepEqual(await shown(), exam);
  });

  it('is ignored if it is of another version or unreadable', async () => {
    const { exams } = bench.database.models;
    await exams.keepExam('http://one:11434', digests.first, { ...exam, version: examVersion + 1 });
    assert.equal(await exams.readExam('http://one:11434', digests.first), undefined);
    assert.equal(await shown(), undefined);
    await exams.keepExam('http://one:11434', digests.first, { ...exam, tasks: 'none' } as unknown as ModelExam);
    assert.equal(await shown(), undefined);
  });

  it('is shown at once in this window', async () => {
    const { digest } = await bench.models.get('worker');
    await bench.models.setExam(digest, exam);
    assert.deepEqual((await bench.models.get('worker')).exam, exam);
    assert.deepEqual(
      (await bench.models.refresh()).models.map((model) => model.exam),
      [exam],
    );
  });
});

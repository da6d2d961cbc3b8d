import assert from 'node:assert/strict';
import { noFigures, type ModelFigures } from '../../../src/types/modelFigures';
import { setMeta } from '../../../src/services/database/sqlite/meta';
import { FigureRepository } from '../../../src/services/database/sessions/figureRepository';
import { Connection } from '../../../src/services/database/sqlite/connection';
import { silentLogger } from '../../../src/utils/logger';
import { ManualClock } from './support/manualClock';
import { Workbench } from './support/stores';

const bench = new Workbench();
const connections: Connection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
  await bench.clean();
});

async function opened(directory: string): Promise<Connection> {
  const connection = new Connection({ directory, clock: new ManualClock(), logger: silentLogger, onDamage: () => undefined });
  connections.push(connection);
  await connection.open();
  return connection;
}

const figures: ModelFigures = {
  loadMs: 1200,
  short: { promptTokens: 300, promptRate: null, answerRate: 31.5 },
  long: null,
  memory: { size: 8.2e9, vram: 8.2e9, window: 16_384 },
  cache: { bytesPerToken: 131_072, isUpperBound: true },
  largest: { tokens: null },
  ownWindow: null,
};

describe('FigureRepository', () => {
  it('keeps figures by machine and digest', async () => {
    const directory = bench.folder();
    const first = new FigureRepository(await opened(directory));
    await first.keep('pc', 'a', noFigures);
    await first.keep('pc', 'a', figures);
    await first.keep('pc:2', 'b', noFigures);
    await first.keep('nas', 'a', noFigures);
    const second = new FigureRepository(await opened(directory));
    assert.deepEqual([...(await second.all('pc'))], [['a', figures]]);
    assert.deepEqual([...(await second.all('pc:2'))], [['b', noFigures]]);
    assert.deepEqual([...(await second.all('other'))], []);
  });

  it('reads damaged parts as not measured', async () => {
    const connection = await opened(bench.folder());
    const damaged = {
      ...figures,
      loadMs: 'soon',
      short: { answerRate: 3 },
      memory: [],
      cache: { bytesPerToken: -1 },
      largest: 4,
    };
    await connection.write(() => {
      setMeta(connection, 'model_figures:pc:a', JSON.stringify(damaged));
      setMeta(connection, 'model_figures:pc:b', '{');
    });
    assert.deepEqual([...(await new FigureRepository(connection).all('pc')).values()], [noFigures, noFigures]);
  });
});

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import path from 'node:path';
import { shownModel } from '../../support/editorDouble';
import { nextMessage } from '../database/processes/child';
import { Workbench } from '../database/support/stores';

const bench = new Workbench();
after(() => bench.clean());

describe('the start of a window', () => {
  let loaded: string[];
  let said: string;

  before(async () => {
    const directory = bench.folder();
    const service = await bench.service(directory);
    await service.models.save([model(shownModel)]);
    await service.dispose();
    const child = fork(path.join(__dirname, 'processes/starter.js'), [directory], { execArgv: [] });
    ({ loaded, said } = (await nextMessage(child)) as { loaded: string[]; said: string });
    child.kill();
  });

  it('opens the database and shows the model', () => {
    assert.ok(loaded.includes('src/extension.js'));
    assert.ok(loaded.includes('src/services/database/sqlite/connection.js'));
  });

  it('gives the core the texts of the person’s language', () => {
    assert.equal(said, 'Senden');
  });

  it('loads no package: what checks, reads and shows conversations waits for the first one', () => {
    assert.deepEqual(
      loaded.filter((file) => file.includes('node_modules/')),
      [],
    );
  });

  it('loads nothing of the agent, of its tools, of what answers the view or talks to the server', () => {
    const waits =
      /^src\/(agent|protocol|services\/(search|terminal|checkpoint|import|model\/\w+\/)|views\/(handlers|feeds|chatConnection)|composition\/chat)\b/;
    assert.deepEqual(
      loaded.filter((file) => waits.test(file)),
      [],
    );
  });
});

function model(name: string) {
  return {
    name,
    digest: 'd',
    size: 9,
    family: 'qwen3',
    parameterSize: '14B',
    quantization: 'Q4_K_M',
    contextLength: 40_960,
    capabilities: { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: true },
    stop: [],
    enabled: true,
  };
}

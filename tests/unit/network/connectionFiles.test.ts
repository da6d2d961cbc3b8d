import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ConnectionRecord } from '../../../src/protocol/requests/connectionRequests';
import { ConnectionFiles } from '../../../src/services/network/connectionFiles';
import { ConnectionLedger } from '../../../src/services/network/connectionLedger';
import { connectionText } from '../../../src/services/network/connectionText';
import { silentLogger } from '../../../src/utils/logger';
import { removeFolder, temporaryFolder } from '../../support/vscode/temporaryFolder';

const dayMs = 86_400_000;
const facts = { purpose: 'ollama', direction: 'out', detail: 'GET /', host: 'a:1', address: '192.0.2.1:1' } as const;

describe('The files of connections', () => {
  let folder: string;
  let now: number;
  let isKept: boolean;
  const clock = { now: () => now, sleep: () => Promise.resolve() };

  beforeEach(async () => {
    folder = await temporaryFolder();
    now = Date.parse('2026-05-10T12:00:00Z');
    isKept = true;
  });
  afterEach(() => removeFolder(folder));

  const window = () => {
    const ledger = new ConnectionLedger(() => now);
    return {
      ledger,
      files: new ConnectionFiles(ledger, { folder: () => folder, isKept: () => isKept, clock, logger: silentLogger }),
    };
  };
  const details = async (files: ConnectionFiles) => (await files.list()).map(({ detail }) => detail);

  it('are not written unless the user wants them', async () => {
    isKept = false;
    const { ledger, files } = window();
    ledger.begin(facts, null)('closed');
    assert.deepEqual(await details(files), ['GET /']);
    await files.dispose();
    assert.deepEqual(await readdir(folder), []);
  });

  it('give a later window what an earlier one recorded, with what was open at its end', async () => {
    const first = window();
    first.ledger.begin({ ...facts, detail: 'ended' }, () => ({ sent: 3, received: 4 }))('closed');
    now += 1;
    first.ledger.begin({ ...facts, detail: 'open' }, () => ({ sent: 1, received: 2 }));
    await first.files.dispose();
    now += 1;
    const second = window();
    second.ledger.begin({ ...facts, detail: 'own' }, null)('closed');
    assert.deepEqual(await details(second.files), ['own', 'open', 'ended']);
    // The window's own connections are not listed twice.
    assert.deepEqual(await details(second.files), ['own', 'open', 'ended']);
    const { sent, received, state } = (await second.files.list())[2] as ConnectionRecord;
    assert.deepEqual([sent, received, state], [3, 4, 'closed']);
    const { mode } = await stat(path.join(folder, 'connections', '2026-05-10.jsonl'));
    if (process.platform !== 'win32') assert.equal(mode & 0o077, 0);
    await second.files.dispose();
  });

  it('are deleted after 30 days, and other files are not', async () => {
    await mkdir(path.join(folder, 'connections'));
    for (const name of ['2026-04-08.jsonl', '2026-04-10.jsonl', 'notes.txt'])
      await writeFile(path.join(folder, 'connections', name), '');
    const { files } = window();
    await files.list();
    await files.dispose();
    assert.deepEqual((await readdir(path.join(folder, 'connections'))).sort(), ['2026-04-10.jsonl', 'notes.txt']);
  });

  it('are read past lines that are damaged or too old', async () => {
    const { ledger, files } = window();
    ledger.begin({ ...facts, detail: 'good' }, null)('closed');
    await files.dispose();
    const file = path.join(folder, 'connections', '2026-05-10.jsonl');
    const record = JSON.parse(await readFile(file, 'utf8')) as ConnectionRecord;
    const old = { ...record, id: 'old', at: now - 31 * dayMs };
    await appendFile(file, `${JSON.stringify(old)}\n{"id":1}\n\n{"id":"cut`);
    assert.deepEqual(await details(window().files), ['good']);
  });

  it('are deleted when the user no longer wants them', async () => {
    const { ledger, files } = window();
    ledger.begin(facts, null)('closed');
    await files.list();
    assert.ok(existsSync(path.join(folder, 'connections')));
    isKept = false;
    files.settingsChanged();
    await files.dispose();
    assert.deepEqual(await readdir(folder), []);
  });
});

describe('Exported connections', () => {
  const record: ConnectionRecord = {
    ...facts,
    id: '1',
    at: 0,
    sessionId: null,
    state: 'closed',
    detail: '=cmd|"x",\n',
    sent: 1,
    received: null,
  };

  it('are a table without formulas', () => {
    assert.equal(
      connectionText([record], 'csv'),
      'at,direction,purpose,detail,host,address,sent,received,sessionId,state,isSandboxed\r\n' +
        '1970-01-01T00:00:00.000Z,out,ollama,"\'=cmd|""x"",\n",a:1,192.0.2.1:1,1,,,closed,\r\n',
    );
  });

  it('are an array of objects', () => {
    assert.deepEqual(JSON.parse(connectionText([record], 'json')), [{ ...record, at: '1970-01-01T00:00:00.000Z' }]);
  });
});

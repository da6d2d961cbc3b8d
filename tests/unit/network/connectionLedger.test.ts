import assert from 'node:assert/strict';
import { ConnectionLedger } from '../../../src/services/network/connectionLedger';
import { isLoopback, isNamed } from '../../../src/services/network/localOnly';

const facts = { purpose: 'ollama', direction: 'out', detail: 'GET /', host: 'a:1', address: '192.0.2.1:1' } as const;

describe('The ledger of connections', () => {
  it('holds no more records than its limit, and counts the others', () => {
    const ledger = new ConnectionLedger(() => 0, 20);
    for (let index = 0; index < 50; index++) ledger.begin({ ...facts, detail: String(index) }, null)('closed');
    const kept = ledger.list().map(({ detail }) => Number(detail));
    assert.ok(kept.length <= 20);
    assert.deepEqual(
      kept,
      Array.from({ length: kept.length }, (_, index) => 49 - index),
    );
    assert.equal(kept.length + ledger.dropped, 50);
  });

  it('counts the bytes of an open connection, and keeps the count of a closed one', () => {
    const ledger = new ConnectionLedger(() => 0);
    let sent = 1;
    const end = ledger.begin(facts, () => ({ sent, received: 0 }));
    sent = 5;
    assert.equal(ledger.list()[0]?.sent, 5);
    end('closed');
    end('failed');
    sent = 9;
    assert.deepEqual([ledger.list()[0]?.sent, ledger.list()[0]?.state], [5, 'closed']);
  });

  it('says that bytes of a process are not known, and shortens a long command', () => {
    const ledger = new ConnectionLedger(() => 0);
    ledger.begin({ ...facts, purpose: 'command', direction: 'process', detail: 'x'.repeat(9_000) }, null)('closed');
    const [record] = ledger.list();
    assert.deepEqual([record?.sent, record?.received, record?.detail.length], [null, null, 201]);
  });

  it('gives each record of a session its session, also after a wait', async () => {
    const ledger = new ConnectionLedger(() => 0);
    await Promise.all(
      ['a', 'b'].map((session) =>
        ledger.inSession(session, async () => {
          await new Promise((resolve) => setImmediate(resolve));
          ledger.begin({ ...facts, detail: session }, null);
        }),
      ),
    );
    ledger.begin({ ...facts, detail: 'none' }, null);
    assert.deepEqual(
      ledger.list().map(({ detail, sessionId }) => [detail, sessionId]),
      [
        ['none', null],
        ['b', 'b'],
        ['a', 'a'],
      ],
    );
  });
});

describe('Local addresses', () => {
  it('are loopback addresses and localhost, not names that look like them', () => {
    const local = ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]'];
    const remote = ['127.0.0.1.example.org', 'localhost.example.org', '10.0.0.1', '::2', '128.0.0.1', 'a.localhost', '127.1', ''];
    assert.deepEqual(local.filter(isLoopback), local);
    assert.deepEqual(remote.filter(isLoopback), []);
  });

  it('that the user named are a host, a host with its port, or the address of a server', () => {
    const allowed = [
      'nas.lan',
      'box:11434',
      'https://models.example.org/ollama',
      '192.0.2.5',
      'fd00::5',
      '[fd00::6]:80',
      'http://a:80',
      ' ',
    ];
    const yes = [
      ...(['nas.lan:1', 'NAS.lan:2', 'box:11434', 'models.example.org:443', '192.0.2.5:9', 'a:80'] as const),
      ...(['fd00::5 9', 'fd00::6 80'] as const),
    ];
    const no = ['box:80', 'models.example.org:80', 'x.nas.lan:1', 'as.lan:1', '192.0.2.50:9', 'fd00::6 81', 'a:8080', ':1'];
    const isAllowed = (text: string) => {
      const [, host = '', port] = /^(.*)[: ](\d+)$/.exec(text) ?? [];
      return isNamed(host, Number(port), allowed);
    };
    assert.deepEqual(yes.filter(isAllowed), yes);
    assert.deepEqual(no.filter(isAllowed), []);
  });
});

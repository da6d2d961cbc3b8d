import assert from 'node:assert/strict';
import type { PendingFileChange } from '../../../src/services/review/pendingChanges';
import { computeHunks } from '../../../src/services/review/fileHunks';
import { OtherChats } from '../../../src/services/review/otherChats';
import { Weave } from '../../../src/utils/text/weave/weave';
import { until } from '../../support/until';
import { silentLogger } from '../../../src/utils/logger';

describe('The changes of chats that are not shown', () => {
  const base = ['one', 'two', 'three', ''];
  const now = ['one', '2', 'three', ''];
  const texts = { base, now, author: 'one', weave: Weave.of(base).advanced('one', now) };
  const change = (path: string) =>
    ({
      path,
      shown: path,
      status: 'modified',
      lines: { additions: 1, deletions: 1 },
      places: [],
      texts,
      rows: [],
      hunks: computeHunks(texts, texts.now),
      turns: new Map(),
    }) as unknown as PendingFileChange; // The other fields are not used.

  let waiting: { sessionId: string; path: string }[];
  let visible: string[];
  let asked: [string, string[]][];
  let looks: number;
  /** Sessions whose changes are all gone. */
  let lost: string[];
  let chats: OtherChats;
  beforeEach(() => {
    waiting = [];
    visible = [];
    asked = [];
    looks = 0;
    lost = [];
    const sources = {
      waitingElsewhere: () => Promise.resolve(waiting),
      compared: (sessionId: string, paths?: ReadonlySet<string>) => {
        asked.push([sessionId, [...(paths ?? [])]]);
        return Promise.resolve(lost.includes(sessionId) ? [] : [...(paths ?? [])].map(change));
      },
    };
    const isInWindow = (path: string) => path.startsWith('/w/');
    const editor = { visible: () => visible, document: () => undefined };
    chats = new OtherChats({ ...sources, isInWindow }, editor, silentLogger, () => (looks += 1));
  });

  it('are known with their chat, and hunk by hunk where an editor shows the file', async () => {
    waiting = [
      { sessionId: 'one', path: '/w/a.txt' },
      { sessionId: 'one', path: '/w/hidden.txt' },
      { sessionId: 'two', path: '/w/b.txt' },
    ];
    visible = ['/w/a.txt', '/w/b.txt', '/w/other.txt'];
    await chats.refresh();
    assert.deepEqual(chats.paths, ['/w/a.txt', '/w/hidden.txt', '/w/b.txt']);
    assert.deepEqual([chats.findSession('/w/b.txt'), chats.findSession('/w/other.txt')], ['two', undefined]);
    assert.deepEqual(asked, [
      ['one', ['/w/a.txt']],
      ['two', ['/w/b.txt']],
      ['one', ['/w/hidden.txt']],
    ]);
    assert.deepEqual(
      chats.listHunks('/w/a.txt').map(({ written }) => written),
      [[{ start: 1, end: 2 }]],
    );
    assert.deepEqual([chats.listHunks('/w/hidden.txt'), looks], [[], 1]);
  });

  it('belong to the last of several chats whose changes are left in the file', async () => {
    waiting = ['three', 'two', 'one'].map((sessionId) => ({ sessionId, path: '/w/a.txt' }));
    await chats.refresh();
    assert.equal(chats.findSession('/w/a.txt'), 'three');
    visible = ['/w/a.txt'];
    lost = ['three'];
    await chats.refresh();
    assert.deepEqual([chats.findSession('/w/a.txt'), chats.listHunks('/w/a.txt').length], ['two', 1]);
    lost = ['three', 'two', 'one'];
    await chats.refresh();
    assert.deepEqual([chats.findSession('/w/a.txt'), chats.paths, chats.listHunks('/w/a.txt')], [undefined, [], []]);
    lost = [];
    chats.shownChanged();
    await until(() => chats.findSession('/w/a.txt') === 'three');
  });

  it('are looked for again when an editor comes to show such a file, and gone once they are answered', async () => {
    waiting = [{ sessionId: 'one', path: '/w/a.txt' }];
    await chats.refresh();
    chats.shownChanged();
    assert.deepEqual([asked.length, looks], [1, 1]);
    visible = ['/w/a.txt'];
    chats.shownChanged();
    waiting = [];
    await chats.refresh();
    assert.deepEqual([chats.paths, chats.listHunks('/w/a.txt'), looks], [[], [], 2]);
  });

  it('are not those of which nothing is left, also where no editor shows the file', async () => {
    waiting = ['three', 'two', 'one'].map((sessionId) => ({ sessionId, path: '/w/a.txt' }));
    waiting.push({ sessionId: 'three', path: '/w/b.txt' }, { sessionId: 'three', path: '/elsewhere/c.txt' });
    lost = ['three'];
    await chats.refresh();
    assert.deepEqual(asked, [
      ['three', ['/w/a.txt', '/w/b.txt']],
      ['two', ['/w/a.txt']],
      ['one', ['/w/a.txt']],
    ]);
    assert.deepEqual([chats.paths, chats.findSession('/w/a.txt')], [['/w/a.txt', '/elsewhere/c.txt'], 'two']);
    assert.equal(chats.isWaiting('/w/b.txt'), true);
    visible = ['/w/a.txt'];
    await chats.refreshVisible();
    assert.deepEqual(
      [chats.paths, asked.slice(3)],
      [
        ['/w/a.txt', '/elsewhere/c.txt'],
        [
          ['three', ['/w/a.txt']],
          ['two', ['/w/a.txt']],
        ],
      ],
    );
    lost = [];
    await chats.refresh();
    assert.deepEqual(chats.paths, ['/w/a.txt', '/w/b.txt', '/elsewhere/c.txt']);
    waiting = [];
    visible = [];
    await chats.refreshVisible();
    assert.equal(chats.findSession('/w/a.txt'), undefined);
  });

  it('are compared without an editor also where a refresh of visible files overtakes the one that asked for it', async () => {
    waiting = [{ sessionId: 'one', path: '/w/a.txt' }];
    lost = ['one'];
    await Promise.all([chats.refresh(), chats.refreshVisible()]);
    assert.deepEqual(chats.paths, []);
  });

  it('are not told of once nobody listens', async () => {
    const looking = chats.refresh();
    chats.dispose();
    await looking;
    assert.equal(looks, 0);
  });
});

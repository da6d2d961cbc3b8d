import assert from 'node:assert/strict';
import { AgentError, answerLimitReached } from '../../../src/agent/kernel/agentError';
import { emptyAnswerEntry, errorEntry, problemText } from '../../../src/agent/kernel/failure';
import { FileError } from '../../../src/services/files/fileError';
import { cutNotice, limitNotice, loopNotice } from '../../../src/agent/kernel/notices';
import { SnapshotError, type SnapshotErrorCode } from '../../../src/services/checkpoint/snapshotError';
import { StorageError, type StorageErrorCode } from '../../../src/services/database/sqlite/storageError';
import { errorFromConnection, errorFromLine, errorFromResponse } from '../../../src/services/model/client/errorMapping';
import { ContextOverflowError, StreamError } from '../../../src/services/model/client/ollamaErrors';
import { phrase, setTexts } from '../../../src/utils/l10n';
import { readText } from './manifest';

const german = JSON.parse(readText('l10n', 'bundle.l10n.de.json')) as Record<string, string>;
const subject = { address: 'http://box:11434', model: 'qwen3:8b' };

/** Returns the text that users see in English and in German. */
function inBoth(make: () => string): [english: string, german: string] {
  setTexts({});
  const english = make();
  setTexts(german, 'de');
  return [english, make()];
}

const storage: StorageErrorCode[] = [
  ...(['corrupt', 'foreign', 'newer', 'locked', 'full', 'readonly', 'io'] as const),
  ...(['notFound', 'takenOver', 'invalid', 'closed', 'inUse', 'changed'] as const),
];
const snapshots: SnapshotErrorCode[] = ['missing', 'tooLarge', 'damaged', 'vanished', 'notFound', 'notTaken', 'approved', 'busy'];

const answers: [status: number, error: string][] = [
  ...[401, 403, 429, 503, 500, 404].map((status): [number, string] => [status, '']),
  [403, 'cloud is disabled'],
  [404, 'model "m" not found'],
  [500, 'pull model manifest: file does not exist'],
  [500, 'model requires more system memory'],
  [500, 'llama runner process has terminated'],
  [500, 'timed out waiting for llama runner to start'],
  [500, 'full moon'],
  ...['chat', 'generate', 'thinking', 'tools', 'insert', 'embeddings', 'vision'].map((ability): [number, string] => [
    400,
    `"m" does not support ${ability}`,
  ]),
  [400, 'request (20000 tokens) exceeds the available context size (16000 tokens)'],
];

describe('German', () => {
  afterEach(() => setTexts({}));

  const failures: [title: string, make: () => string][] = [
    ...storage.map((code): [string, () => string] => [
      `a storage error ${code}`,
      () => new StorageError(code, 'log').userMessage,
    ]),
    ...snapshots.map((code): [string, () => string] => [
      `a snapshot error ${code}`,
      () => new SnapshotError(code, 'log').userMessage,
    ]),
    ...answers.map(([status, error]): [string, () => string] => [
      `an answer ${status} ${error}`,
      () => errorFromResponse(status, error === '' ? '' : JSON.stringify({ error }), subject).userMessage,
    ]),
    ...['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'EPROTO', 'ECONNRESET', 'HPE_INVALID'].map(
      (code): [string, () => string] => [
        `a connection that fails with ${code}`,
        () => errorFromConnection(Object.assign(new Error(code), { code }), subject.address).userMessage,
      ],
    ),
    ...(['incomplete', 'disconnected', 'malformed', 'server'] as const).map((reason): [string, () => string] => [
      `an answer that is ${reason}`,
      () => new StreamError('log', reason).userMessage,
    ]),
    ['a line with an error', () => errorFromLine('server busy, please try again', subject).userMessage],
    ['a mistake of our own', () => errorEntry(new TypeError('x is undefined')).content ?? ''],
    [
      'an overflow',
      () => errorEntry(new ContextOverflowError('log', { promptTokens: 20_000, contextWindow: 16_000 })).content ?? '',
    ],
    ['an empty answer', () => emptyAnswerEntry('qwen3:8b').content ?? ''],
    ['an answer that was cut', () => cutNotice(cut).content ?? ''],
    ['the limit of steps', () => limitNotice(25).content ?? ''],
    ['a loop', () => loopNotice('read_file', { round: 1, times: 3 }).content ?? ''],
    ['a call that a limit ended', () => errorEntry(answerLimitReached(4096)).content ?? ''],
    ['a longer loop', () => loopNotice('read_file', { round: 2, times: 3 }).content ?? ''],
  ];
  const cut = { maxTokens: 0, limit: null, contextWindow: 16_000, promptTokens: 15_900, answerTokens: 100 };

  for (const [title, make] of failures) {
    it(`has words for ${title}`, () => {
      const [english, translated] = inBoth(make);
      assert.notEqual(translated, english);
      assert.doesNotMatch(translated, /\{\d\}|\b(the|try|again)\b/i);
    });
  }

  it('writes numbers as it does', () => {
    const [english, translated] = inBoth(() => cutNotice(cut).content ?? '');
    assert.match(english, /16,000 tokens/);
    assert.match(translated, /16\.000 Token/);
  });

  it('is for the person: the model and the log read English', () => {
    setTexts({ 'There is no file {0}.': 'Es gibt keine Datei {0}.' }, 'de');
    const error = new FileError('missing', phrase('There is no file {0}.', 'a.ts'));
    assert.deepEqual(
      [error.userMessage, error.modelMessage, error.message],
      ['Es gibt keine Datei a.ts.', 'There is no file a.ts.', 'missing: There is no file a.ts.'],
    );
    setTexts(german, 'de');
    assert.doesNotMatch(new AgentError('noModel', phrase('No model is selected. Choose a model.')).message, /Modell/);
    assert.match(new StorageError('full', 'database or disk is full').modelMessage, /^The disk .* is full/);
  });

  it('is whole where an error and what is kept are told together', () => {
    setTexts(german, 'de');
    const text = problemText(new StorageError('full', 'log'));
    assert.match(text, /Datenträger mit dem Chatverlauf ist voll.*Alles bis zum Fehler ist gespeichert/);
  });
});

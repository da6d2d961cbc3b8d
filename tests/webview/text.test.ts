import { describe, expect, it } from 'vitest';
import type { ToolAction } from '../../src/protocol/timeline';
import { setViewTexts, t, translated } from '../../src/webview/translate';
import { activityText, slownessText } from '../../src/webview/conversation/activityText';
import { boundText } from '../../src/webview/common/texts/boundText';
import { parseDiffLines } from '../../src/protocol/text/diffLines';
import { fileSize, parameterCount, setDisplayLanguage, tokenCount } from '../../src/types/format';
import { relativeTime } from '../../src/webview/common/texts/relativeTime';
import { fieldText, fieldValue } from '../../src/webview/settings/fields/fieldText';
import { reasonLine } from '../../src/webview/conversation/questions/reasonLine';
import { nextIndex } from '../../src/webview/common/listNavigation';
import { groupTitle } from '../../src/webview/conversation/tools/groupTitle';

describe('the words of the view', () => {
  it('fill placeholders and survive odd ones', () => {
    expect(t('{1} of {0}, {2}', 'a', 'b')).toBe('b of a, {2}');
    expect(t('constructor')).toBe('constructor');
  });

  it('group numbers as the display language does, and not what is given as words', () => {
    setDisplayLanguage('de');
    expect([t('{0} of {1}', 12_345, '12345'), translated('{0} lines', 1200)]).toEqual(['12.345 of 12345', '1.200 lines']);
    setDisplayLanguage('en');
    expect(t('{0} of {1}', 12_345, '12345')).toBe('12,345 of 12345');
  });

  it('read the numbers that they write, and other numbers only if they are unambiguous', () => {
    const read = (language: string, texts: string[]) => {
      setDisplayLanguage(language);
      return texts.map((text) => fieldValue('number', text));
    };
    try {
      expect(read('de', ['65.536', '3.600.000', '1.024,5', '65536', '0,25', '0.125', '0.2', '-1'])).toEqual([
        ...[65_536, 3_600_000, 1024.5, 65_536, 0.25, 0.125, 0.2, -1],
      ]);
      expect(read('de', ['65.53.6', '1.2345.678', '1,000,000', 'many'])).toEqual(['65.53.6', '1.2345.678', '1,000,000', 'many']);
      expect(read('en', ['65,536', '0,5', '1,024.5', '65.5'])).toEqual([65_536, 0.5, 1024.5, 65.5]);
      expect(read('fr', ['65\u202f536', '65 536', '0,5'])).toEqual([65_536, 65_536, 0.5]);
      for (const language of ['de', 'en', 'fr', 'hi', 'de-CH', 'es']) {
        setDisplayLanguage(language);
        for (const value of [0.2, 7, 1234, 65_536, 3_600_000, -1]) expect(fieldValue('number', fieldText(value))).toBe(value);
      }
    } finally {
      setDisplayLanguage('en');
    }
  });

  it('write the size of a model as the display language does', () => {
    const sizes = ['134.52M', '8.2B', '14B', 'huge', ''];
    expect(sizes.map(parameterCount)).toEqual(['134.5M', '8.2B', '14B', 'huge', '']);
    setDisplayLanguage('de');
    expect(sizes.map(parameterCount)).toEqual(['134,5\u00a0Mio.', '8,2\u00a0Mrd.', '14\u00a0Mrd.', 'huge', '']);
    setDisplayLanguage('en');
  });

  it('begin the reasons of an approval with a capital letter, but not a path', () => {
    expect(reasonLine(['deletes files', 'starts in the workspace folder'])).toBe(
      'Deletes files · starts in the workspace folder',
    );
    expect([reasonLine(['ändert Dateien']), reasonLine(['src/a.ts: written']), reasonLine(['$HOME']), reasonLine([])]).toEqual([
      ...['Ändert Dateien', 'src/a.ts: written', '$HOME', ''],
    ]);
  });

  it('tell the truth about a wait', () => {
    const loading = { kind: 'loading', model: 'qwen3:14b', since: 0 } as const;
    expect(activityText(loading, 900)).toBe('Loading qwen3:14b into memory…');
    expect(activityText(loading, 8200)).toBe('Loading qwen3:14b into memory… 8 s');
    expect(activityText({ kind: 'reading', promptTokens: 9300, since: 0 }, 0)).toBe(`Processing about 9,300 tokens…`);
    const measured = { newTokens: 1243, expectedMs: 6200 };
    const reading = { kind: 'reading', promptTokens: 9300, since: 0, measured } as const;
    expect(activityText(reading, 3000)).toBe('Processing 1,240 new tokens of 9,300, about 6 s');
    expect(activityText(reading, 8000)).toBe('Processing 1,240 new tokens of 9,300… 8 s');
    expect(activityText({ ...reading, measured: { newTokens: 9300, expectedMs: 300 } }, 0)).toBe(
      'Processing 9,300 tokens, about 1 s',
    );
    const either = { kind: 'reading', promptTokens: 120, since: 0 } as const;
    expect(activityText({ ...either, orPreparing: 'editOrCall' }, 14_000)).toBe(
      'Processing about 120 tokens, or preparing an edit or another tool call… 14 s',
    );
    expect(activityText({ ...either, orPreparing: 'call' }, 0)).toBe('Processing about 120 tokens, or preparing a tool call…');
    expect(slownessText({ ...either, orPreparing: 'call' }, 14_000)).toContain('only when it is complete');
    expect(activityText({ kind: 'retrying', attempt: 2, of: 3, until: 2000, reason: 'busy' }, 100)).toBe(
      'Retrying in 2 s (2 of 3): busy',
    );
    expect(activityText({ kind: 'queued', position: 1 }, 0)).toBe('Waiting for another answer to finish');
    expect(activityText({ kind: 'preparing', work: 'edit', since: 0 }, 100)).toBe('Preparing an edit…');
    expect(activityText({ kind: 'preparing', work: 'call', since: 0 }, 5000)).toBe('Preparing a tool call… 5 s');
    const silent = { kind: 'preparing', work: 'editOrCall', since: 0, writing: { tokensPerSecond: 20, limit: 4096 } } as const;
    expect([100, 3000, 45_000, 900_000].map((now) => activityText(silent, now))).toEqual([
      'Waiting for the model…',
      'Waiting for the model (up to about 60 tokens written so far)… 3 s',
      'Waiting for the model (up to about 900 tokens written so far)… 45 s',
      'Waiting for the model (up to about 4,100 tokens written so far)… 900 s',
    ]);
    expect(slownessText(silent, 11_000)).toContain('is estimated');
    expect(activityText({ kind: 'preparing', work: 'editOrCall', since: 0 }, 5000)).toBe(
      'Preparing an edit or another tool call… 5 s',
    );
    const behind = { kind: 'behind', model: 'qwen3:14b', since: 0 } as const;
    expect(activityText(behind, 3000)).toBe('Waiting for another answer to finish… 3 s');
    expect(slownessText(behind, 10_000)).toContain('qwen3:14b');
    expect(activityText({ kind: 'silent', since: 0 }, 150_000)).toBe(
      'No response for 2 min. The server may have stopped. You can safely stop and retry.',
    );
    expect(activityText({ kind: 'answering', since: 0 }, 0)).toBeNull();
    expect(slownessText(loading, 9999)).toBeNull();
    expect(slownessText(loading, 10_000)).not.toBeNull();
  });

  it('name times, sizes and counts with their units', () => {
    const minute = 60_000;
    const times = [0, 5 * minute, 90 * minute, 5 * 60 * minute, 30 * 60 * minute, 80 * 60 * minute];
    expect(times.map((ago) => relativeTime(1e12, 1e12 + ago))).toEqual([
      'now',
      '5 min ago',
      '1 h ago',
      '5 h ago',
      'yesterday',
      '3 days ago',
    ]);
    expect([0, 999, 9.3e9, 21.4e9].map(fileSize)).toEqual(['0 B', '999 B', '9.3 GB', '21 GB']);
    expect([512, 40960, 131072, 12_400].map(tokenCount)).toEqual(['512', '40k', '128k', '12k']);
  });

  it('title what tools did, do and would do', () => {
    const action = (name: string, state: ToolAction['state'], input: Record<string, unknown>): ToolAction => ({
      kind: 'tool',
      seq: 1,
      callId: 'c',
      label: null,
      result: null,
      edits: [],
      steps: [],
      changes: null,
      isUnasked: false,
      name,
      state,
      input,
    });
    const title = (...actions: ToolAction[]) =>
      groupTitle(actions[0]?.name === 'read_file' ? 'read' : 'edit', actions, actions[0]?.state ?? 'done');
    const read = action('read_file', 'done', { path: 'src/deep/notes.md' });
    expect(title(read)).toBe('Read notes.md');
    expect(title(read, action('read_file', 'done', { path: 'notes.md' }))).toBe('Read 2 files');
    expect(title(action('create_file', 'done', { path: 'notes.md' }))).toBe('Created notes.md');
    expect(title(action('create_file', 'running', { path: 'notes.md' }))).toBe('Creating notes.md');
    expect(title(action('run_terminal_command', 'done', { command: 'npm test' }))).toBe('Ran npm test');
    expect(title(action('run_terminal_command', 'waiting for approval', { command: 'npm\n test' }))).toBe('Run npm test');
    const search = action('search_workspace', 'done', { query: 'total' });
    expect(title({ ...search, label: '“total”' })).toBe('Searched for “total”');
    setViewTexts({ '“{0}”': '„{0}“', 'Searched for {0}': 'Nach {0} gesucht' });
    expect(title({ ...search, label: '“a “b””' })).toBe('Nach „a “b”“ gesucht');
    setViewTexts({});
    expect(title(action('list_files', 'done', { path: './' }))).toBe('Listed the workspace');
    expect(title(action('list_files', 'running', { path: 'src/deep' }))).toBe('Listing src/deep');
    expect(title(action('find_files', 'done', { pattern: '*.ts' }))).toBe('Looked for *.ts');
    expect(title(action('get_diagnostics', 'done', {}))).toBe('Checked the workspace for problems');
    const list = action('list_files', 'done', {});
    expect(groupTitle('search', [list, list, list], 'done')).toBe('Listed 3 folders');
    expect(groupTitle('search', [list, search], 'done')).toBe('Searched 2 times');
    expect(title(action('future_tool', 'done', {}))).toBe('Used future_tool');
  });
});

describe('boundText', () => {
  it('keeps whole lines of the wanted end', () => {
    const bounds = { lines: 2, characters: 100 };
    expect(boundText('a\nb\nc\n', { ...bounds, end: 'start' })).toEqual({ text: 'a\nb', isCut: true, lineCount: 3 });
    expect(boundText('a\nb\nc', { ...bounds, end: 'end' })).toEqual({ text: 'b\nc', isCut: true, lineCount: 3 });
    expect(boundText('x'.repeat(300), { ...bounds, end: 'start' }).text).toHaveLength(101);
    expect(boundText('a\nb', { lines: Infinity, characters: 100, end: 'end' })).toEqual({
      text: 'a\nb',
      isCut: false,
      lineCount: 2,
    });
  });
});

describe('diffLines', () => {
  it('numbers the lines of both sides', () => {
    const diff =
      '--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n same\n-old\n+new\n same\n@@ -20 +20 @@\n-a\n+b\n\\ No newline at end of file\n';
    expect(parseDiffLines(diff).map(({ kind, text, before, after }) => [kind, text, before, after])).toEqual([
      ['same', 'same', 3, 3],
      ['removed', 'old', 4, null],
      ['added', 'new', null, 4],
      ['same', 'same', 5, 5],
      ['place', '⋯', null, null],
      ['removed', 'a', 20, null],
      ['added', 'b', null, 20],
    ]);
  });
});

describe('nextIndex', () => {
  const names = ['alpha', 'beta', 'bravo', 'Gamma'];
  it('moves by keys and by letters', () => {
    expect(nextIndex(names, 0, 'ArrowDown', '')).toBe(1);
    expect(nextIndex(names, 0, 'ArrowUp', '')).toBe(0);
    expect(nextIndex(names, 0, 'End', '')).toBe(3);
    expect(nextIndex(names, 0, 'b', 'b')).toBe(1);
    expect(nextIndex(names, 1, 'b', 'bb')).toBe(2);
    expect(nextIndex(names, 1, 'r', 'br')).toBe(2);
    expect(nextIndex(names, 1, 'g', 'g')).toBe(3);
    expect(nextIndex(names, 1, 'z', 'z')).toBeNull();
    expect(nextIndex([], 0, 'End', '')).toBeNull();
  });
});

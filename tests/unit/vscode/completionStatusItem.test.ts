import { statusItem } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { CompletionStatusItem, type CompletionStatus } from '../../../src/vscode/completion/completionStatusItem';

const status: CompletionStatus = {
  model: 'coder:1b',
  isAutomatic: true,
  snoozedUntil: 0,
  engine: null,
  refusal: null,
  isShared: false,
};
const engine = { activity: 'idle', latency: null, noSuggestion: null, isSwapped: false } as const;

describe('the state of suggestions in the status bar', () => {
  const item = new CompletionStatusItem();
  const shown = (change: Partial<CompletionStatus>): [string, string[]] => {
    item.update({ ...status, ...change }, 1000);
    return [statusItem.text, String(statusItem.tooltip).split('\n')];
  };

  it('tells whether it is on, off, snoozed, loading or writing', () => {
    assert.deepEqual(shown({}), ['$(sparkle)', ['Suggestions from coder:1b', 'Select for more options.']]);
    assert.equal(statusItem.accessibilityInformation?.label, 'Ollama Copilot: Suggestions from coder:1b');
    assert.equal(shown({ isAutomatic: false })[1][0], 'Inline suggestions are off');
    assert.match(shown({ snoozedUntil: 2000 })[1][0] ?? '', /^Suggestions are snoozed until .*\d\d/);
    assert.equal(shown({ snoozedUntil: 900 })[1][0], 'Suggestions from coder:1b');
    assert.equal(shown({ engine: { ...engine, activity: 'loading' } })[1][0], 'Loading coder:1b into memory');
    assert.equal(shown({ engine: { ...engine, activity: 'thinking' } })[1][0], 'coder:1b is writing a suggestion');
  });

  it('tells how fast it is, why nothing came, and what sharing the model with chat costs', () => {
    const nothing = { code: 'closed', detail: 'secret' } as const;
    const [, lines] = shown({ engine: { ...engine, latency: 120, noSuggestion: nothing }, isShared: true });
    assert.deepEqual(lines.slice(1), [
      'Time to a suggestion: 120 ms (median of the last 20)',
      'Last time, no suggestion was shown: This file may contain secrets, so it is not read.',
      'Chat uses this model too. After a suggestion, the model may have to process the chat again.',
      'Select for more options.',
    ]);
  });

  it('warns where the model cannot be used, whatever the last request gave, and says it aloud', () => {
    const refusal = 'coder:1b failed the self-test.';
    for (const noSuggestion of [null, { code: 'closed' }, { code: 'unfit', detail: refusal }] as const) {
      const [icon, lines] = shown({ refusal, engine: { ...engine, noSuggestion } });
      assert.deepEqual([icon, lines.filter((line) => line.includes('self-test'))], ['$(warning)', [refusal]]);
      const label = `Ollama Copilot: Suggestions from coder:1b. ${refusal}`;
      assert.equal(statusItem.accessibilityInformation?.label, label);
    }
  });

  it('warns where the last request showed that the model cannot be used, and says why', () => {
    const [icon, lines] = shown({ engine: { ...engine, noSuggestion: { code: 'unfit', detail: 'It cannot.' } } });
    assert.deepEqual([icon, lines[1]], ['$(warning)', 'Last time, no suggestion was shown: It cannot.']);
    const [swapping, why] = shown({ engine: { ...engine, isSwapped: true } });
    assert.equal(swapping, '$(warning)');
    assert.match(why[1] ?? '', /does not fit in memory together with the chat model/);
  });
});

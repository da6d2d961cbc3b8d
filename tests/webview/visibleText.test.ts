import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import ContextChip from '../../src/webview/composer/ContextChip.vue';
import ErrorMessage from '../../src/webview/conversation/messages/ErrorMessage.vue';
import { sessionKey } from '../../src/webview/sessions/useSession';
import NoticeLine from '../../src/webview/conversation/messages/NoticeLine.vue';
import BoundedText from '../../src/webview/common/texts/BoundedText.vue';
import DiffText from '../../src/webview/common/texts/DiffText.vue';
import MarkedText from '../../src/webview/common/texts/MarkedText.vue';
import { pullsKey } from '../../src/webview/start/usePulls';
import { setViewTexts } from '../../src/webview/translate';
import { damagedCode, damagedNotice } from '../../src/protocol/text/damagedEntry';
import { visibleCode, visibleControls, visibleText } from '../../src/protocol/text/visibleText';

it('shows what cannot be seen, and leaves lines, tabs and letters of all scripts alone', () => {
  expect(visibleText('a\u202eb\u0015c\u200bd\te\nñ 日本 עברית')).toBe('a⟨U+202E⟩b⟨U+0015⟩c⟨U+200B⟩d\te\nñ 日本 עברית');
});

it('leaves prose what its languages need, and Windows its line ends', () => {
  expect(visibleControls('می\u200cخواهم 👩\u200d👧 \u202ex\r\ny\rz\u0007')).toBe(
    'می\u200cخواهم 👩\u200d👧 ⟨U+202E⟩x\r\ny⟨U+000D⟩z⟨U+0007⟩',
  );
});

it('shows in code everything that takes no room, but for what joins letters', () => {
  const hidden = ['\u200b', '\u2060', '\ufeff', '\u{e0041}', '\u202e', '\u00ad'];
  expect(hidden.map(visibleCode)).toEqual(['⟨U+200B⟩', '⟨U+2060⟩', '⟨U+FEFF⟩', '⟨U+E0041⟩', '⟨U+202E⟩', '⟨U+00AD⟩']);
  expect(visibleCode('می\u200cخواهم = क्\u200dष;\n\t')).toBe('می\u200cخواهم = क्\u200dष;\n\t');
});

it('hides nothing in what tools and errors say, in chips and in what was found', () => {
  const text = 'a\u202egnp.exe';
  const seen = 'a⟨U+202E⟩gnp.exe';
  const error = { kind: 'error' as const, seq: 1, code: 'stream', text, detail: null, actions: [], model: null };
  const notice = { kind: 'notice', seq: 1, level: 'info', code: 'note', text } as const;
  const followUps = { canContinue: false, canRetry: false };
  for (const shown of [
    mount(BoundedText, { props: { text, label: 'Output' } }),
    mount(ErrorMessage, { props: { block: error, followUps }, global: { provide: { [pullsKey]: {} } } }),
    mount(NoticeLine, {
      props: { block: notice },
      global: { provide: { [sessionKey]: { undoneSummaries: { value: new Set() } } } },
    }),
    mount(ContextChip, { props: { item: { kind: 'file', path: text }, use: 'sent' } }),
    mount(MarkedText, { props: { of: { text, marks: [] } } }),
    mount(DiffText, { props: { diff: `@@ -1 +1 @@\n+${text}`, label: 'Changes' } }),
  ]) {
    expect(shown.text()).toContain(seen);
    expect(shown.html()).not.toContain('\u202e');
    shown.unmount();
  }
});

it('marks what was found where it stands, also behind what was made visible', () => {
  const shown = mount(MarkedText, { props: { of: { text: '\u202ethe fox', marks: [[5, 8]] } }, attachTo: document.body });
  expect([shown.get('mark').text(), document.body.textContent]).toEqual(['fox', '⟨U+202E⟩the fox']);
  shown.unmount();
});

it('shows what a damaged entry contains, below a translated warning', () => {
  setViewTexts({ [damagedNotice]: 'Beschädigt:' });
  const block = { kind: 'notice', seq: 1, level: 'warning', code: damagedCode, text: `${damagedNotice}\n\nDeploy it` } as const;
  const provide = { [sessionKey]: { undoneSummaries: { value: new Set() } } };
  const shown = mount(NoticeLine, { props: { block }, global: { provide } });
  expect(shown.text()).toBe('Beschädigt:\n\nDeploy it');
  shown.unmount();
  setViewTexts({});
});

import { mount } from '@vue/test-utils';
import { nextTick, type VNode } from 'vue';
import { afterEach, expect, it } from 'vitest';
import { createTimelineReducer } from '../../src/protocol/reducer/timelineMemo';
import ConversationLog from '../../src/webview/conversation/ConversationLog.vue';
import { entries } from '../support/entries';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { get } from './support/roles';

let app: TestApp | undefined;
afterEach(() => app?.wrapper.unmount());

it('draws only the turn that grows again, however many there are', async () => {
  const question = (content: string) => ({ type: 'user_input' as const, content, data: { mode: 'ask', attachments: [] } });
  const answer = (content: string) => ({ type: 'assistant_output' as const, content, data: {} });
  const log = entries(question('One'), answer('First.'), question('Two'), answer('Second.'), question('Three'), answer('Thi'));
  const reduce = createTimelineReducer();
  const drawn: number[] = [];
  const ErrorBoundary = {
    emits: ['failed'],
    render(this: { $slots: { default?: () => VNode[] } }): VNode[] {
      const parts = this.$slots.default?.() ?? [];
      drawn.push(
        ...parts.map(({ props }) => (props?.['turn'] as { seq: number } | undefined)?.seq ?? 0).filter((seq) => seq > 0),
      );
      return parts;
    },
  };
  const wrapper = mount(ConversationLog, {
    props: {
      timeline: reduce(log, { isLive: true }),
      isRunning: true,
      activity: null,
      sessionKey: 's1',
      hasEarlier: false,
      isLoadingEarlier: false,
    },
    global: { stubs: { ErrorBoundary, AssistantMessage: true, UserMessage: true } },
  });
  expect(drawn).toEqual([1, 3, 5]);
  const last = log[5];
  if (last === undefined) throw new Error('There is no last entry');
  const grown = [...log.slice(0, 5), { ...last, content: 'Third.' }];
  await wrapper.setProps({ timeline: reduce(grown, { isLive: true }) });
  await nextTick();
  expect(drawn).toEqual([1, 3, 5, 5]);
  wrapper.unmount();
});

it('draws a line between two answers in a row', async () => {
  const log = new TestLog();
  log.user('Create it');
  for (const answer of ['I have created it.', 'Now it is there.']) log.add('assistant_output', answer, { end: 'complete' });
  app = await startApp({ log });
  const answers = [...get(app.root, 'article', 'Assistant').querySelectorAll('.markdown')];
  expect(answers.map((answer) => [answer.textContent.trim(), answer.classList.contains('further')])).toEqual([
    ['I have created it.', false],
    ['Now it is there.', true],
  ]);
});

import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import type { ApprovalRequest } from '../../src/protocol/timeline';
import ApprovalCard from '../../src/webview/conversation/questions/ApprovalCard.vue';
import EditApprovalCard from '../../src/webview/conversation/questions/EditApprovalCard.vue';
import ToolApprovalCard from '../../src/webview/conversation/questions/ToolApprovalCard.vue';
import { askedQuestions, type AskedQuestion } from '../support/questions/askedQuestions';
import { seen, unseenIn } from '../support/questions/shownTexts';
import { startApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, spokenText } from './support/roles';

/** Returns all text on the card of a question after everything on it is expanded. */
async function shownText({ data }: AskedQuestion): Promise<string> {
  const request: ApprovalRequest = {
    kind: 'approval',
    state: 'waiting',
    seq: 1,
    approvalId: 'a1',
    callId: 'c1',
    isAlways: false,
    approvalKind: data.kind,
    command: data.command ?? null,
    cwd: data.cwd ?? null,
    path: data.path ?? null,
    newPath: data.newPath ?? null,
    operation: data.operation ?? null,
    diff: data.diff ?? null,
    severity: data.severity ?? null,
    parts: null,
    reasons: data.reasons ?? [],
    canAllowAlways: false,
    ...(data.tool !== undefined && { tool: data.tool }),
    ...(data.projects && { projects: data.projects }),
  };
  const { tool } = request;
  const card =
    data.kind === 'edit'
      ? mount(EditApprovalCard, { props: { request } })
      : tool !== undefined
        ? mount(ToolApprovalCard, { props: { request, tool } })
        : mount(ApprovalCard, { props: { request } });
  for (let more = card.find('.more'); more.exists(); more = card.find('.more')) await more.trigger('click');
  const text = (card.element as Element).textContent;
  card.unmount();
  return text;
}

/** Joiners may stay in diff lines, because names in code can contain them. */
const joined = (text: string) => text.replace(/⟨U\+200[CD]⟩|[\u200c\u200d]/g, '·');

/** Also accepts a capital first letter, because the line of reasons begins with one. */
const has = (text: string, part: string) => text.includes(part) || text.includes(part.charAt(0).toUpperCase() + part.slice(1));

it('shows every question in full, with nothing that is not seen', async () => {
  const problems: string[] = [];
  for (const one of askedQuestions) {
    const text = joined(await shownText(one));
    problems.push(
      ...one.shows
        .filter((part) => ![seen(part), seen(part, '')].some((form) => has(text, joined(form))))
        .map((part) => `${one.name}: does not show ${JSON.stringify(part.slice(0, 80))}`)
        .slice(0, 3),
      ...unseenIn(text, '\n\t').map((character) => `${one.name}: has ${JSON.stringify(character)}`),
    );
  }
  expect(problems).toEqual([]);
});

it('announces that chats of other projects are to be read', async () => {
  const log = new TestLog();
  log.user('What did we say?');
  log.call('c1', 'search_history', { query: 'x', otherProjects: true });
  log.add('approval', '', {
    approvalId: 'a1',
    callId: 'c1',
    phase: 'requested',
    kind: 'read',
    path: '/shop, /bank',
    projects: ['/shop', '/bank'],
    reasons: ['chats from other projects'],
  });
  const app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
  const said = all(app.root, 'status').map(spokenText).join();
  app.wrapper.unmount();
  expect(said).toContain('Approval needed to read chats from other projects: /shop, /bank. Press Control+Enter to allow.');
});

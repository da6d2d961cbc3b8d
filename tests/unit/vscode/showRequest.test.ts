import { editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { KeptRequests } from '../../../src/services/model/client/keptRequests';
import { showRequest } from '../../../src/vscode/commands/showRequest';

describe('Show request', () => {
  const sources = (limit: number) => ({
    requests: new KeptRequests(
      () => ({ dispose: () => undefined }),
      () => limit,
    ),
    documents: { ofText: () => assert.fail('nothing is shown') },
    sessions: { get: () => Promise.resolve(undefined) },
    secretsOf: () => () => false,
    hasToken: () => Promise.resolve(false),
  });
  const said = async (limit: number, ...args: unknown[]) => {
    editorCalls.length = 0;
    await showRequest(sources(limit), args);
    return editorCalls.map(({ name, args: [text] }) => [name, text]);
  };

  it('says that the request of an answer is gone, and how many are kept', async () => {
    const text =
      'The request for this answer is no longer available. The last 20 requests are kept in memory until the window closes.';
    assert.deepEqual(await said(20, 's', 1), [['showInformationMessage', text]]);
  });

  it('says which setting keeps requests if none are kept', async () => {
    const text = 'Requests are not kept. Set “ollamaCopilot.privacy.keptRequests” to the number of requests to keep.';
    assert.deepEqual(await said(0, 's', 1), [['showInformationMessage', text]]);
    assert.deepEqual(await said(0), [['showInformationMessage', text]]);
  });

  it('says that no message was sent yet', async () => {
    assert.deepEqual(await said(20), [['showInformationMessage', 'No request has been kept yet. Send a message first.']]);
  });
});

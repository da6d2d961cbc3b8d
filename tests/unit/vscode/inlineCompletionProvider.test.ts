import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { InlineCompletionProvider, type ProviderPorts } from '../../../src/vscode/completion/inlineCompletionProvider';

describe('Suggestions beside the list of words', () => {
  const { Invoke: asked, Automatic: automatic } = vscode.InlineCompletionTriggerKind;
  const document = {
    uri: vscode.Uri.file('/project/a.ts'),
    isUntitled: false,
    version: 1,
    languageId: 'typescript',
    lineCount: 1,
    eol: 1,
    getText: () => 'con',
    offsetAt: ({ character }: vscode.Position) => character,
  } as unknown as vscode.TextDocument;
  const at = { line: 0, character: 3 } as vscode.Position;
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: () => undefined,
  } as unknown as vscode.CancellationToken;

  /** Returns the requests to the engine, and the reasons passed to it if no suggestion is made. */
  async function heard(triggerKind: number, chosen: string | undefined): Promise<unknown[]> {
    const heard: unknown[] = [];
    const engine: ProviderPorts['engine'] = {
      complete: async ({ before }) => Promise.resolve(void heard.push(before)),
      shown: () => undefined,
      setNoSuggestionReason: (because) => heard.push(because),
    };
    const gate = { exclusionReason: async () => Promise.resolve(null) };
    const provider = new InlineCompletionProvider({ engine, gate, onShown: () => undefined, refusal: () => null });
    const range = { start: { line: 0, character: 0 }, end: at };
    const selectedCompletionInfo = chosen === undefined ? undefined : { range, text: chosen };
    const context = { triggerKind, selectedCompletionInfo } as vscode.InlineCompletionContext;
    await provider.provideInlineCompletionItems(document, at, context, token);
    return heard;
  }

  it('are not shown while it is open, unless somebody asks for one', async () => {
    assert.deepEqual(await heard(automatic, undefined), ['con']);
    assert.deepEqual(await heard(automatic, 'console'), [{ code: 'list' }]);
    assert.deepEqual(await heard(asked, 'console'), ['console']);
  });
});

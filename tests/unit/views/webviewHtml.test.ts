import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { webviewHtml } from '../../../src/views/webviewHtml';

describe('the page of the chat view', () => {
  it('allows its own script, style and font, no other base and no form', () => {
    const webview = { cspSource: 'https://own', asWebviewUri: (uri: unknown) => uri } as unknown as vscode.Webview;
    const html = webviewHtml(webview, vscode.Uri.file('/extension'));
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    const nonce = /nonce="([^"]+)"/.exec(html)?.[1] ?? '';
    assert.deepEqual(policy.split('; '), [
      `default-src 'none'`,
      `base-uri 'none'`,
      `form-action 'none'`,
      `script-src 'nonce-${nonce}'`,
      'style-src https://own',
      'font-src https://own',
      'img-src data:',
    ]);
  });
});

import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { webviewHtml } from '../../../src/views/webviewHtml';

describe('the page of the chat view', () => {
  it('carries the copy of its state, and nothing of it as markup', () => {
    const webview = { cspSource: 'https://own', asWebviewUri: (uri: unknown) => uri } as unknown as vscode.Webview;
    const state = JSON.stringify({ drafts: { '': `"><script>alert('&')</script>` } });
    const html = webviewHtml(webview, vscode.Uri.file('/extension'), state);
    const attribute = /data-state="([^"]*)"/.exec(html)?.[1] ?? '';
    assert.equal(/[<>]/.test(attribute), false);
    assert.equal(
      attribute.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
      state,
    );
    assert.equal(html.split('<script').length, 2);
  });

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

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * Returns the HTML of the chat view. `state` is a copy of its state as JSON. The content security policy allows
 * only local resources and inline code with the nonce.
 */
export function webviewHtml(webview: vscode.Webview, extensionUri: vscode.Uri, state?: string): string {
  const media = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'media', name)).toString();
  const nonce = randomBytes(18).toString('base64');
  const policy = [
    `default-src 'none'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    // The extension passes chat images as data URLs.
    `img-src data:`,
  ].join('; ');
  const language = /^[A-Za-z0-9-]+$/.test(vscode.env.language) ? vscode.env.language : 'en';
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${media('chatView.css')}">
<title>Ollama Copilot</title>
</head>
<body>
<div id="app"${state === undefined ? '' : ` data-state="${escaped(state)}"`}></div>
<script type="module" nonce="${nonce}" src="${media('chatView.js')}"></script>
</body>
</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

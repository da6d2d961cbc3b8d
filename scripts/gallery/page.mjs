import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { areBundlesFresh } from '../lib/build.mjs';

const here = import.meta.dirname;
const root = join(here, '..', '..');
const build = join(root, 'out', 'gallery');
const types = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };
const nonce = 'gallery';
const policy = `default-src 'none'; style-src 'self'; script-src 'nonce-${nonce}'; font-src 'self'; img-src data:`;

/** Returns a folder with an up-to-date build of the view: `media` if it is up to date, otherwise a new build. */
export function currentView() {
  if (areBundlesFresh()) return join(root, 'media');
  buildView();
  return build;
}

/** Builds the view into a separate folder, because `media` may be in use. */
export function buildView() {
  const vite = join(root, 'node_modules', '.bin', 'vite');
  execFileSync(vite, ['build', '--outDir', build, '--logLevel', 'error'], { cwd: root, stdio: 'inherit' });
}

const bodyClasses = {
  dark: 'vscode-dark',
  light: 'vscode-light',
  'hc-dark': 'vscode-high-contrast',
  'hc-light': 'vscode-high-contrast vscode-high-contrast-light',
};
export const themes = Object.keys(bodyClasses);

/** Returns the page that the editor would create, with the same content security policy. */
function html(scenario, theme) {
  const variables = JSON.parse(readFileSync(join(here, 'themes', `${theme}.json`), 'utf8'));
  const gallery = { scenario, theme: { variables, bodyClass: bodyClasses[theme] } };
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Ollama Copilot</title>
<link rel="stylesheet" href="editor.css">
<link rel="stylesheet" href="chatView.css">
</head>
<body>
<div id="app"></div>
<script nonce="${nonce}">window.__gallery = ${JSON.stringify(gallery).replaceAll('<', '\\u003c')};</script>
<script nonce="${nonce}" src="harness.js"></script>
<script type="module" nonce="${nonce}" src="chatView.js"></script>
</body>
</html>`;
}

/**
 * Serves the page of every scenario on the loopback address, with the view in the folder `built`. Resolves to the base address and a
 * function that closes the server.
 */
export async function serve(scenarios, built = build) {
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    const [, theme, name, file] = /^\/([\w-]+)\/([\w-]+)\/([\w.]*)$/.exec(url.pathname) ?? [];
    const scenario = scenarios[name];
    if (scenario === undefined || bodyClasses[theme] === undefined) {
      response.writeHead(404).end();
    } else if (file === '') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(html(scenario, theme));
    } else {
      const folder = file === 'harness.js' || file === 'editor.css' ? here : built;
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(readFileSync(join(folder, file)));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { base: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

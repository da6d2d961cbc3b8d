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

/** Returns a folder with the view as the sources are: `media` where it was built from them, else one that it is built into now. */
export function currentView() {
  if (areBundlesFresh()) return join(root, 'media');
  buildView();
  return build;
}

/** Builds the view into a folder of its own, as the one in `media` may be in use. */
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

/** The page that the editor would make, under the same content policy. */
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

/** Serves the page of every scenario on the loopback address, with the view of the folder `built`; resolves to its base address and what closes it. */
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

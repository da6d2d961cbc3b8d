import { spawn } from 'node:child_process';
import { main } from './lib/console.mjs';
import { environment, node } from './lib/nodes.mjs';
import { inRoot, root } from './lib/paths.mjs';

/** `npm run watch`: rebuilds both bundles with source maps on every change. Ctrl-C ends it. */
await main(async () => {
  const start = (...args) => spawn(node, args, { cwd: root, env: environment(), stdio: 'inherit' });
  const watchers = [
    start(inRoot('node_modules/webpack/bin/webpack.js'), '--watch', '--mode', 'development'),
    start(inRoot('node_modules/vite/bin/vite.js'), 'build', '--watch', '--mode', 'development', '--sourcemap'),
  ];
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => watchers.forEach((watcher) => watcher.kill(name)));
  await Promise.all(watchers.map((watcher) => new Promise((resolve) => watcher.once('exit', resolve))));
});

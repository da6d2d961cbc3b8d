/** Port of the proxy inside the sandbox. */
export const relayPort = 3128;
const socket = '/run/ollama-copilot/socket';

/**
 * Node script that runs in the sandbox. It listens on a port, forwards connections
 * to the proxy, and runs its arguments as a command until the command ends.
 */
const script = `
const { connect, createServer } = require('node:net');
const { spawn } = require('node:child_process');
delete process.env.ELECTRON_RUN_AS_NODE;
const server = createServer((from) => {
  const to = connect(${JSON.stringify(socket)});
  const end = () => { from.destroy(); to.destroy(); };
  from.on('error', end); to.on('error', end);
  from.pipe(to).pipe(from);
});
server.listen(${relayPort}, '127.0.0.1', () => {
  const child = spawn(process.argv[1], process.argv.slice(2), { stdio: 'inherit' });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + require('node:os').constants.signals[signal]));
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
});
`;

/** Returns the command that starts the relay. Append the command to run with access to the proxy. */
export function relayCommand(node = process.execPath): string[] {
  return ['/usr/bin/env', 'ELECTRON_RUN_AS_NODE=1', node, '-e', script, '--'];
}

/** Returns the environment variables for a proxy on this port of the loopback address. */
export function proxyVariables(port: number): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  return {
    http_proxy: url,
    https_proxy: url,
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    NODE_USE_ENV_PROXY: '1',
    no_proxy: 'localhost,127.0.0.1,::1',
    NO_PROXY: 'localhost,127.0.0.1,::1',
  };
}

import { messageOf } from '../../utils/errors';
import { isDirectory } from '../../utils/files/isDirectory';
import { t } from '../../utils/l10n';
import { visibleLine } from '../../protocol/text/visibleText';
import type { HttpServer, StdioServer } from '../config/serverConfig';
import { McpError } from '../mcpError';

/** Programs that come with another one, by their names. */
const broughtBy: Readonly<Record<string, string>> = {
  npx: 'Node.js',
  npm: 'Node.js',
  node: 'Node.js',
  uvx: 'uv',
  docker: 'Docker',
};

/**
 * Returns why a server could not be started or reached, in words for a person. `reach` is without variables but for an address, which is
 * as it was written down; `printed`: what the program wrote beside its answers.
 */
export async function startProblem(error: unknown, reach: StdioServer | HttpServer, printed: string): Promise<string> {
  if (error instanceof McpError) return error.userMessage;
  const words = reach.kind === 'stdio' ? await programProblem(error, reach, printed) : addressProblem(error, reach);
  return words ?? messageOf(error).slice(0, 1000);
}

async function programProblem(error: unknown, { command, cwd }: StdioServer, printed: string): Promise<string | null> {
  const codes = codesOf(error);
  if (codes.includes('ENOENT') || codes.includes('ENOTDIR')) {
    // The system says the same of a folder that is not there.
    if (cwd !== null && !(await isDirectory(cwd))) return t('There is no folder {0}.', visibleLine(cwd));
    const bringer = broughtBy[command];
    return bringer === undefined
      ? t('There is no program {0}. Install it, or enter its whole path.', visibleLine(command))
      : t('There is no program {0}. It comes with {1}: install {1}, or enter the whole path of {0}.', command, bringer);
  }
  if (codes.includes('EACCES')) return t('The program {0} cannot be run: it is not executable.', visibleLine(command));
  if (!codes.includes('CONNECTION_CLOSED')) return timeoutProblem(codes);
  const last = printed.trim().split('\n').at(-1) ?? '';
  return last === ''
    ? t('The program ended before it answered. It may be no MCP server.')
    : t('The program ended before it answered. Its last line: {0}', visibleLine(last).slice(0, 300));
}

function addressProblem(error: unknown, { url }: HttpServer): string | null {
  const codes = codesOf(error);
  const address = visibleLine(url);
  const { status } = error as { status?: unknown };
  if (typeof status === 'number') return statusProblem(status, address);
  if (codes.some((code) => ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)))
    return t('Nothing answers at {0}. Check the address, and whether the server is running.', address);
  if (codes.some((code) => ['ENOTFOUND', 'EAI_AGAIN'].includes(code)))
    return t('The name of the host in {0} is not known. Check the address and your network.', address);
  const untrusted = codes.find((code) => /CERT|SELF_SIGNED|UNABLE_TO|^ERR_(TLS|SSL)/.test(code));
  if (untrusted !== undefined) return t('The certificate of {0} is not trusted ({1}).', address, untrusted);
  if (messagesOf(error).includes('unexpected redirect'))
    return t('{0} redirects to another address, which is not followed. Enter the address that it redirects to.', address);
  if (codes.some((code) => ['ERA_NEGOTIATION_FAILED', 'CLIENT_HTTP_UNEXPECTED_CONTENT', 'INVALID_RESULT'].includes(code)))
    return t('What answers at {0} is not an MCP server.', address);
  return timeoutProblem(codes);
}

function statusProblem(status: number, address: string): string {
  if (status === 401) return t('The server at {0} does not accept who you are (HTTP 401). Check the headers.', address);
  if (status === 403) return t('The server at {0} denies access (HTTP 403). Check the headers.', address);
  if (status === 404 || status === 405)
    return t('There is no MCP server at {0} (HTTP {1}). Check the path of the address.', address, status);
  return t('The server at {0} answered with an error (HTTP {1}).', address, status);
}

function timeoutProblem(codes: readonly string[]): string | null {
  return codes.some((code) => code.includes('TIMEOUT')) ? t('It did not answer in time.') : null;
}

/** Returns the codes of an error and of its causes. */
function codesOf(error: unknown): string[] {
  return chainOf(error).flatMap(({ code }) => (typeof code === 'string' ? [code] : []));
}

function messagesOf(error: unknown): string[] {
  return chainOf(error).map(({ message }) => message);
}

function chainOf(error: unknown): (Error & { code?: unknown })[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 8; one = one.cause) chain.push(one);
  return chain;
}

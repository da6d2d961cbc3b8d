import { AppError, messageOf } from '../../utils/errors';
import { isDirectory } from '../../utils/files/isDirectory';
import { t } from '../../utils/l10n';
import { visibleLine } from '../../protocol/text/visibleText';
import type { HttpServer, StdioServer } from '../config/serverConfig';

/** Product that provides each program, by program name. */
const broughtBy: Readonly<Record<string, string>> = {
  npx: 'Node.js',
  npm: 'Node.js',
  node: 'Node.js',
  uvx: 'uv',
  docker: 'Docker',
};

/** Output of a program that is not a message. */
export interface PrintedText {
  /** First line on stdout. Empty if there is none. */
  first: string;
  /** Last text on stderr. */
  lastError: string;
}

export const nothingPrinted: PrintedText = { first: '', lastError: '' };

/**
 * Returns a localized reason why a server could not be started or reached. The variables in
 * `reach` are replaced, except in an address.
 */
export async function startProblem(error: unknown, reach: StdioServer | HttpServer, printed: PrintedText): Promise<string> {
  if (error instanceof AppError) return error.userMessage;
  const words = reach.kind === 'stdio' ? await programProblem(error, reach, printed) : addressProblem(error, reach);
  return words ?? messageOf(error).slice(0, 1000);
}

async function programProblem(error: unknown, { command, cwd }: StdioServer, printed: PrintedText): Promise<string | null> {
  const codes = listCodes(error);
  if (codes.includes('ENOENT') || codes.includes('ENOTDIR')) {
    // A missing folder causes the same error.
    if (cwd !== null && !(await isDirectory(cwd))) return t('The folder {0} does not exist.', visibleLine(cwd));
    const bringer = broughtBy[command];
    return bringer === undefined
      ? t('The program {0} was not found. Install it, or enter its full path.', visibleLine(command))
      : t('The program {0} was not found. It is part of {1}: install {1}, or enter the full path of {0}.', command, bringer);
  }
  if (codes.includes('EACCES')) return t('Could not run {0} because it is not executable.', visibleLine(command));
  if (!codes.includes('CONNECTION_CLOSED')) return timeoutProblem(codes);
  return exitProblem(printed);
}

function exitProblem({ first: firstLine, lastError }: PrintedText): string {
  const last = visibleLine(lastError.trim().split('\n').at(-1) ?? '').slice(0, 300);
  const first = firstLine.slice(0, 300);
  if (first === '' && last === '') return t('The program exited before it responded. It may not be an MCP server.');
  if (first === '') return t('The program exited before it responded. Its last output line: {0}', last);
  if (last === '')
    return t('The program exited before it responded. It may not be an MCP server. Its first output line: {0}', first);
  return t('The program exited before it responded. Its first output line: {0}. Its last error line: {1}', first, last);
}

function addressProblem(error: unknown, { url }: HttpServer): string | null {
  const codes = listCodes(error);
  const address = visibleLine(url);
  const { status } = error as { status?: unknown };
  if (typeof status === 'number') return statusProblem(status, address);
  if (codes.some((code) => ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)))
    return t('No server responds at {0}. Check the address and that the server is running.', address);
  if (codes.some((code) => ['ENOTFOUND', 'EAI_AGAIN'].includes(code)))
    return t('The host name in {0} could not be resolved. Check the address and your network.', address);
  const untrusted = codes.find((code) => /CERT|SELF_SIGNED|UNABLE_TO|^ERR_(TLS|SSL)/.test(code));
  if (untrusted !== undefined) return t('The certificate of {0} is not trusted ({1}).', address, untrusted);
  if (listMessages(error).includes('unexpected redirect'))
    return t('{0} redirects to another address. Redirects are not followed, so enter the target address.', address);
  if (codes.some((code) => ['ERA_NEGOTIATION_FAILED', 'CLIENT_HTTP_UNEXPECTED_CONTENT', 'INVALID_RESULT'].includes(code)))
    return t('The server at {0} is not an MCP server.', address);
  return timeoutProblem(codes);
}

function statusProblem(status: number, address: string): string {
  if (status === 401) return t('The server at {0} requires authentication (HTTP 401). Check the headers.', address);
  if (status === 403) return t('The server at {0} denied access (HTTP 403). Check the headers.', address);
  if (status === 404 || status === 405)
    return t('No MCP server was found at {0} (HTTP {1}). Check the path of the address.', address, status);
  return t('The server at {0} returned an error (HTTP {1}).', address, status);
}

function timeoutProblem(codes: readonly string[]): string | null {
  return codes.some((code) => code.includes('TIMEOUT')) ? t('The server did not respond in time.') : null;
}

function listCodes(error: unknown): string[] {
  return listCauses(error).flatMap(({ code }) => (typeof code === 'string' ? [code] : []));
}

function listMessages(error: unknown): string[] {
  return listCauses(error).map(({ message }) => message);
}

function listCauses(error: unknown): (Error & { code?: unknown })[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 8; one = one.cause) chain.push(one);
  return chain;
}

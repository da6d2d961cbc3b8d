import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

const openSchemes = /^(app|file|tauri|vscode-webview|vscode-file):\/\//;
const localOrigin = /^https?:\/\/(localhost|127\.0\.0\.1|0\.0\.0\.0)(:\d+)?$/;
const privateAddress = /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|0\.0\.0\.0$|::1?$|f[cd])/i;

/** Returns true if a web page with this origin may send requests. Requests without `Origin` do not come from web pages. */
export function isAllowedOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || origin === '') return true;
  return openSchemes.test(origin) || localOrigin.test(origin) || origin === `http://${host}` || origin === `https://${host}`;
}

/** Returns the CORS headers for an allowed origin, including the response to a preflight request. */
export function corsHeaders(request: IncomingMessage): [name: string, value: string][] {
  const origin: [string, string][] = [
    ['Access-Control-Allow-Origin', request.headers.origin ?? ''],
    ['Vary', 'Origin'],
  ];
  if (request.method !== 'OPTIONS') return origin;
  return [
    ...origin,
    ['Access-Control-Allow-Headers', 'Authorization,Content-Type,User-Agent,Accept,X-Requested-With'],
    ['Access-Control-Allow-Methods', 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS'],
    ['Access-Control-Max-Age', '43200'],
  ];
}

/** Returns true if the server accepts this `Host`. External names may be DNS rebinding. */
export function isAllowedHost(request: IncomingMessage): boolean {
  const host = (request.headers.host ?? '').toLowerCase();
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) !== 0) return privateAddress.test(name);
  return name === '' || name === 'localhost' || name === hostname().toLowerCase() || /\.(localhost|local|internal)$/.test(name);
}

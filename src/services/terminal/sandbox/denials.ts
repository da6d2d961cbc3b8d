import { stripVTControlCharacters } from 'node:util';
import type { Denial } from './sandboxPorts';

const host = String.raw`([a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?)`;

/**
 * Messages of programs without network access. Group 1, if any, is the
 * host. Collected from curl, Node, Python, Go, Rust, git, wget and apt.
 */
const networkPatterns: readonly RegExp[] = [
  new RegExp(String.raw`could not resolve (?:host(?:name)?|proxy):? ['"‘]?${host}`, 'i'),
  new RegExp(String.raw`\b(?:EAI_AGAIN|ENOTFOUND)\b[^\n]*?\s${host}`, 'i'),
  new RegExp(String.raw`dial tcp:? lookup ${host}`, 'i'),
  new RegExp(String.raw`failed to (?:resolve|lookup)(?: address)?(?: information)?(?: host(?:name)?)? ['"‘]${host}`, 'i'),
  new RegExp(String.raw`unable to resolve host(?: address)? ['"‘]?${host}`, 'i'),
  new RegExp(String.raw`(?:temporary failure|failure in name) resol(?:ving|ution)(?: for)? ['"‘]?${host}`, 'i'),
  new RegExp(String.raw`host='?${host}'?, port=\d+\)[^\n]*(?:resolv|unreachable)`, 'i'),
  new RegExp(String.raw`unable to access '?https?://${host}`, 'i'),
  new RegExp(String.raw`blocked by the sandbox: ${host}`, 'i'),
  new RegExp(String.raw`ssh: could not resolve hostname ${host}`, 'i'),
  new RegExp(String.raw`error sending request for url \(https?://${host}`, 'i'),
  new RegExp(String.raw`connect ENETUNREACH ${host}`, 'i'),
  /network is unreachable|temporary failure in name resolution|name or service not known|no address associated with hostname/i,
];

/** Messages of programs that try to write to a read-only path. Group 1, if any, is the path. */
const writePatterns: readonly RegExp[] = [
  /\bEROFS\b[^\n]*? '([^'\n]+)'/,
  /\[Errno 30\] [^\n]*?: '([^'\n]+)'/,
  /['"‘`]([^'"’`\n]+)['"’`]: Read-only file system/i,
  /(?:^|[\s:])(\/[^\s:'"]+): Read-only file system/im,
  /\bopen (\/[^\s:'"]+): read-only file system/i,
  /read-only file system|\bEROFS\b|\(os error 30\)/i,
];

/** Number of characters to search at the end of the output. */
const maxChars = 200_000;

/**
 * Returns the denials in the output of a failed command: at most
 * five hosts and five paths. Returns none for a successful command.
 */
export function denialsIn(output: string, exitCode: number | null): Denial[] {
  if (exitCode === 0) return [];
  const text = stripVTControlCharacters(output.slice(-maxChars));
  return [...found('network', networkPatterns, text), ...found('write', writePatterns, text)];
}

function found(kind: Denial['kind'], patterns: readonly RegExp[], text: string): Denial[] {
  const targets = new Set<string | null>();
  for (const pattern of patterns) {
    for (const [, target] of text.matchAll(
      new RegExp(pattern, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`),
    )) {
      if (target === undefined) targets.add(null);
      else if (kind === 'write' || isHost(target)) targets.add(kind === 'network' ? target.toLowerCase() : target);
    }
  }
  const named = [...targets].filter((target) => target !== null).slice(0, 5);
  if (named.length > 0) return named.map((target) => ({ kind, target }));
  return targets.size > 0 ? [{ kind, target: null }] : [];
}

/** Returns whether a name is a host outside the loopback addresses, which work in the sandbox. */
function isHost(name: string): boolean {
  return name.includes('.') && !/^(127\.|0\.0\.0\.0)|\.(localhost|js|ts|json|py|go|rs)$/i.test(name);
}

import { readFile } from 'node:fs/promises';

/** Reads an strace log. Returns every address (`ip:port`) that a process, with all its threads, called `connect` for. */
export async function connectionsIn(traceFile: string, pid: number): Promise<string[]> {
  return connectionsOf(await readFile(traceFile, 'utf8'), pid);
}

export function connectionsOf(trace: string, pid: number): string[] {
  const threads = new Set([pid]);
  /** First parts of calls that another thread interrupted, by thread. */
  const unfinished = new Map<number, string>();
  const connections: string[] = [];
  for (const line of trace.split('\n')) {
    const [, id, text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const thread = Number(id);
    if (!threads.has(thread)) continue;
    if (text.endsWith('<unfinished ...>')) {
      unfinished.set(thread, text);
      if (text.startsWith('connect(')) connections.push(...addressIn(text));
      continue;
    }
    const isResumed = text.startsWith('<... ');
    const whole = isResumed ? `${unfinished.get(thread) ?? ''}${text}` : text;
    const made = /^clone3?\(.*CLONE_THREAD.*= (\d+)$/.exec(whole)?.[1];
    if (made !== undefined) threads.add(Number(made));
    if (!isResumed && text.startsWith('connect(')) connections.push(...addressIn(text));
  }
  return connections;
}

/** Returns nothing for other address families, such as Unix sockets. */
function addressIn(call: string): string[] {
  const [, port4, ip4] = /sa_family=AF_INET, sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)/.exec(call) ?? [];
  if (port4 !== undefined) return [`${ip4}:${port4}`];
  const [, port6] = /sa_family=AF_INET6, sin6_port=htons\((\d+)\)/.exec(call) ?? [];
  const [, ip6] = /inet_pton\(AF_INET6, "([^"]+)"/.exec(call) ?? [];
  return port6 === undefined ? [] : [`[${ip6}]:${port6}`];
}

/** Converts a value of `OLLAMA_HOST` to the server address that clients use. Without a value, returns Ollama's default address. */
export function ollamaUrl(host = process.env.OLLAMA_HOST) {
  const text = (host ?? '').trim().replace(/^["']|["']$/g, '');
  const [, scheme, rest] = /^(?:(https?):\/\/)?(.*)$/i.exec(text);
  const [, name, port, path] = /^(\[[^\]]*\]|[^:/]*)(?::(\d+))?(\/.*)?$/.exec(rest) ?? [];
  const reachable = !name || name === '0.0.0.0' || name === '[::]' ? '127.0.0.1' : name;
  const usual = { http: '80', https: '443' }[scheme?.toLowerCase()] ?? '11434';
  return `${scheme?.toLowerCase() ?? 'http'}://${reachable}:${port ?? usual}${(path ?? '').replace(/\/+$/, '')}`;
}

/** Returns the address of a running Ollama server, or `undefined`. */
export async function findOllama() {
  const url = ollamaUrl();
  try {
    const response = await fetch(`${url}/api/version`, { signal: AbortSignal.timeout(2000) });
    return response.ok && typeof (await response.json()).version === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
}

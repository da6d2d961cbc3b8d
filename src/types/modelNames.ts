/** Finds a model by name. Ignores case, and a missing default tag, namespace or host. */
export function findModel<T extends { name: string }>(models: readonly T[], name: string): T | undefined {
  const wanted = canonicalName(name);
  return models.find((model) => canonicalName(model.name) === wanted);
}

/**
 * Returns the key for the facts about a model. A server that is only compatible with Ollama may not send a digest.
 * In this case, facts are valid until the next refresh.
 */
export function modelKey(model: { name: string; digest: string }): string {
  return model.digest || model.name;
}

function canonicalName(name: string): string {
  const bare = name
    .trim()
    .toLowerCase()
    .replace(/^registry\.ollama\.ai\//, '')
    .replace(/^library\//, '');
  const lastPart = bare.slice(bare.lastIndexOf('/') + 1);
  return lastPart.includes(':') ? bare : `${bare}:latest`;
}

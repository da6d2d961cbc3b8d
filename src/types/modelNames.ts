/** Finds a model by name, ignoring case and a missing default tag, namespace or host. */
export function findModel<T extends { name: string }>(models: readonly T[], name: string): T | undefined {
  const wanted = canonicalName(name);
  return models.find((model) => canonicalName(model.name) === wanted);
}

/**
 * Returns the key of a model's facts. A server that is only compatible with Ollama may send no digest; then facts
 * are valid until the next refresh.
 */
export function keyOf(model: { name: string; digest: string }): string {
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

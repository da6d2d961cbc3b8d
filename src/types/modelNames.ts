/** Finds the model of that name among `models`, in any letter case, with or without the default tag, namespace and host. */
export function findModel<T extends { name: string }>(models: readonly T[], name: string): T | undefined {
  const wanted = canonicalName(name);
  return models.find((model) => canonicalName(model.name) === wanted);
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

/** Names of which none is there twice: the first keeps its own, further ones get a number, `app (2)`. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; taken.has(unique) || (unique !== name && names.includes(unique)); number += 1) {
      unique = `${name} (${number})`;
    }
    taken.add(unique);
    return unique;
  });
}

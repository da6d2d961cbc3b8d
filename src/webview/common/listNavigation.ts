/**
 * Returns the index that a key selects in a list of names, or null. `typed` is the text typed without a pause. It selects
 * the next name with this prefix. A repeated letter cycles through the names that start with it.
 */
export function nextIndex(names: readonly string[], active: number, key: string, typed: string): number | null {
  const last = names.length - 1;
  if (last < 0) return null;
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, active + 1);
    case 'ArrowUp':
      return Math.max(0, active - 1);
    case 'PageDown':
      return Math.min(last, active + 8);
    case 'PageUp':
      return Math.max(0, active - 8);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return key.length === 1 ? search(names, active, typed) : null;
  }
}

function search(names: readonly string[], active: number, typed: string): number | null {
  const wanted = typed.toLowerCase();
  if (wanted === '') return null;
  const isRepeated = [...wanted].every((letter) => letter === wanted[0]);
  const start = wanted.length === 1 || isRepeated ? active + 1 : active;
  const find = (text: string) => {
    for (let step = 0; step < names.length; step += 1) {
      const index = (start + step) % names.length;
      if (names[index]?.toLowerCase().startsWith(text)) return index;
    }
    return null;
  };
  return find(wanted) ?? (isRepeated ? find(wanted.charAt(0)) : null);
}

/** Place that a client has come to: all that changed up to a revision, and so many characters of entries that are still being written. */
export interface EventPosition {
  revision: number;
  sent: Map<number, number>;
}

/** Writes a position as the id of an event: the revision and, where a text is being written, `:seq.length`. */
export function positionText({ revision, sent }: EventPosition): string {
  const open = [...sent].map(([seq, length]) => `${seq}.${length}`).join(',');
  return open === '' ? String(revision) : `${revision}:${open}`;
}

/** Reads an id; null if it is none. A bare revision is one too. */
export function positionOf(text: string): EventPosition | null {
  const match = /^(\d{1,15})(?::((?:\d{1,15}\.\d{1,15},?){1,20}))?$/.exec(text);
  if (match === null) return null;
  const parts = (match[2] ?? '').split(',').filter((part) => part !== '');
  return {
    revision: Number(match[1]),
    sent: new Map(parts.map((part) => part.split('.').map(Number) as [number, number])),
  };
}

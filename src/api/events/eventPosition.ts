/** Position of a client: a revision, and the number of characters already sent for each open entry. */
export interface EventPosition {
  revision: number;
  sent: Map<number, number>;
}

/** Formats a position as an event ID: the revision, and `:seq.length` for each open entry. */
export function positionText({ revision, sent }: EventPosition): string {
  const open = [...sent].map(([seq, length]) => `${seq}.${length}`).join(',');
  return open === '' ? String(revision) : `${revision}:${open}`;
}

/** Parses an event ID. Returns null if it is invalid. A revision without further parts is valid. */
export function parsePosition(text: string): EventPosition | null {
  const match = /^(\d{1,15})(?::((?:\d{1,15}\.\d{1,15},?){1,20}))?$/.exec(text);
  if (match === null) return null;
  const parts = (match[2] ?? '').split(',').filter((part) => part !== '');
  return {
    revision: Number(match[1]),
    sent: new Map(parts.map((part) => part.split('.').map(Number) as [number, number])),
  };
}

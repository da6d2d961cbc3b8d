/** A small seeded random number generator (mulberry32). A seed always produces the same sequence. */
export class Chance {
  constructor(private state: number) {}

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(from: readonly T[]): T {
    const item = from[this.below(from.length)];
    if (item === undefined && from.length === 0) throw new Error('Nothing to pick from');
    return item as T;
  }
}

/** Texts that have caused bugs in programs before. */
export const hostileTexts: readonly string[] = [
  'x',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '🙂'.repeat(50),
  '‮txt.exe',
  'ˮ̈'.repeat(200),
  '../../../../etc/passwd',
  '/etc/passwd',
  '..\\..\\windows',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'JaVaScRiPt://%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'command:workbench.action.closeWindow',
  'vscode://x/y',
  'http://',
  'https://[',
  'https:////x',
  'https://good\\@evil',
  'file:////server/x',
  'a b:c',
  '<img src=x onerror=alert(1)>',
  "'; DROP TABLE sessions; --",
  '%s%n%p{0}{1}',
  '__proto__',
  'constructor',
  'toString',
  'workbench.action.quit',
  'a'.repeat(100_000),
];

/** Values that are invalid for almost every use. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  -0,
  1e308,
  9007199254740993,
  '',
  ...hostileTexts,
  [],
  {},
  [[[[[]]]]],
  { length: 3 },
  { toString: 1, valueOf: 1 },
  JSON.parse('{"__proto__": {"polluted": true}}'),
  JSON.parse('{"constructor": {"prototype": {"polluted": true}}}'),
  Array.from({ length: 1000 }, (_unused, index) => index),
  nested(500),
];

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let index = 0; index < depth; index += 1) value = { value };
  return value;
}

/** Subset of JSON Schema that request parameters use. */
export interface Shape {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Shape>;
  required?: string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  anyOf?: Shape[];
  items?: Shape;
}

/** Returns a value that matches the shape but is as unusual as the shape allows. `ids` are meaningful values that are used now and then. */
export function fitting(shape: Shape, chance: Chance, ids: readonly string[]): unknown {
  if (shape.enum !== undefined) return chance.pick(shape.enum);
  if (shape.anyOf !== undefined) return fitting(chance.pick(shape.anyOf), chance, ids);
  const type = Array.isArray(shape.type) ? chance.pick(shape.type) : shape.type;
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(shape.properties ?? {})
          .filter(([name]) => shape.required?.includes(name) === true || chance.next() < 0.5)
          .map(([name, inner]) => [name, fitting(inner, chance, ids)]),
      );
    case 'string': {
      const texts = hostileTexts.filter(
        (text) => text.length >= (shape.minLength ?? 0) && text.length <= (shape.maxLength ?? Number.MAX_SAFE_INTEGER),
      );
      return ids.length > 0 && chance.next() < 0.4 ? chance.pick(ids) : chance.pick(texts);
    }
    case 'integer':
    case 'number': {
      const least = Math.max(shape.minimum ?? Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);
      const most = Math.min(shape.maximum ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
      return chance.pick([least, most, 0, 1, -1, 2_147_483_648].filter((number) => number >= least && number <= most));
    }
    case 'boolean':
      return chance.next() < 0.5;
    case 'array':
      return Array.from({ length: chance.below(4) }, () => fitting(shape.items ?? {}, chance, ids));
    default:
      return null;
  }
}

/** Returns a matching value with one part changed. The result may still match. */
export function spoilt(shape: Shape, chance: Chance, ids: readonly string[]): unknown {
  const value = fitting(shape, chance, ids);
  const names = Object.keys(shape.properties ?? {});
  if (names.length === 0 || chance.next() < 0.15) return chance.pick(hostileValues);
  const spoiled = { ...(value as Record<string, unknown>) };
  const name = chance.pick(names);
  if (chance.next() < 0.2) delete spoiled[name];
  else spoiled[name] = chance.pick(hostileValues);
  if (chance.next() < 0.1) Object.assign(spoiled, { surplus: chance.pick(hostileValues) });
  return spoiled;
}

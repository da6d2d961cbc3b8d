import { similarity, words } from '../../utils/text/similarity';
import { normalizeForLoopDetection } from './normalizeForLoopDetection';

/** Characters of a text that are compared, and number of kinds of calls that are remembered. */
const [compared, remembered] = [4000, 12];
/** Shares of equal pieces from which on two inputs, and two results, are nearly the same. */
const [alikeInput, alikeResult] = [0.7, 0.9];

interface Kind {
  id: string;
  name: string;
  input: ReadonlySet<string>;
  result: ReadonlySet<string>;
  /** The input without its numbers, with the result to the letter. */
  sameBut: string;
}

/** Puts calls that are nearly the same, and get nearly the same result, into one kind: loops are not always the same to the letter. */
export class CallKinds {
  private readonly kinds: Kind[] = [];
  private count = 0;

  /** Returns the mark of the kind that a call is of. */
  markOf(name: string, input: Record<string, unknown>, resultText: string): string {
    const pieces = {
      input: inputPieces(input),
      result: words(normalizeForLoopDetection(resultText.slice(0, compared))),
      sameBut: JSON.stringify([valuesOf(input).filter((value) => !/^-?\d+$/.test(value)), resultText.slice(0, compared)]),
    };
    const known = this.kinds.find(
      (kind) =>
        kind.name === name &&
        // Other lines of a file with the same words in them are none of a loop; the same lines by other numbers are.
        (kind.sameBut === pieces.sameBut ||
          (similarity(kind.input, pieces.input) >= alikeInput && similarity(kind.result, pieces.result) >= alikeResult)),
    );
    if (known) return known.id;
    this.count += 1;
    const id = `${name} ${this.count}`;
    this.kinds.push({ id, name, ...pieces });
    if (this.kinds.length > remembered) this.kinds.shift();
    return id;
  }
}

/** Returns the groups of three letters and digits in the values of an input, whatever stands between them. */
function inputPieces(input: Record<string, unknown>): Set<string> {
  const text = valuesOf(input)
    .join(' ')
    .slice(0, compared)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
  const pieces = new Set<string>();
  for (let at = 0; at < Math.max(1, text.length - 2); at += 1) pieces.add(text.slice(at, at + 3));
  return pieces;
}

function valuesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  if (typeof value === 'object' && value !== null) {
    const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.flatMap(([, inner]) => valuesOf(inner));
  }
  return [String(value)];
}

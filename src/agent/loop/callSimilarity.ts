import { similarity, words } from '../../utils/text/similarity';
import { normalizeForLoopDetection } from './normalizeForLoopDetection';

/** Number of compared characters of a text. */
const maxCompared = 4000;
/** Number of remembered kinds of calls. */
const maxKinds = 12;
/** Minimum similarity of two nearly identical inputs. */
const minInputSimilarity = 0.7;
/** Minimum similarity of two nearly identical results. */
const minResultSimilarity = 0.9;

interface Kind {
  id: string;
  name: string;
  input: ReadonlySet<string>;
  result: ReadonlySet<string>;
  /** Input without integers, together with the exact result. */
  sameBut: string;
}

/** Groups nearly identical calls with nearly identical results, because loops are not always exact repetitions. */
export class CallKinds {
  private readonly kinds: Kind[] = [];
  private count = 0;

  /** Returns the id of the group to which a call belongs. */
  findGroup(name: string, input: Record<string, unknown>, resultText: string): string {
    const pieces = {
      input: collectTrigrams(input),
      result: words(normalizeForLoopDetection(resultText.slice(0, maxCompared))),
      sameBut: JSON.stringify([collectValues(input).filter((value) => !/^-?\d+$/.test(value)), resultText.slice(0, maxCompared)]),
    };
    const known = this.kinds.find(
      (kind) =>
        kind.name === name &&
        // Reading other lines with similar text is not a loop. Reading the same text with other line numbers is a loop.
        (kind.sameBut === pieces.sameBut ||
          (similarity(kind.input, pieces.input) >= minInputSimilarity &&
            similarity(kind.result, pieces.result) >= minResultSimilarity)),
    );
    if (known) return known.id;
    this.count += 1;
    const id = `${name} ${this.count}`;
    this.kinds.push({ id, name, ...pieces });
    if (this.kinds.length > maxKinds) this.kinds.shift();
    return id;
  }
}

/** Returns the trigrams of letters and digits in the values of an input, ignoring other characters. */
function collectTrigrams(input: Record<string, unknown>): Set<string> {
  const text = collectValues(input)
    .join(' ')
    .slice(0, maxCompared)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
  const pieces = new Set<string>();
  for (let at = 0; at < Math.max(1, text.length - 2); at += 1) pieces.add(text.slice(at, at + 3));
  return pieces;
}

function collectValues(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectValues);
  if (typeof value === 'object' && value !== null) {
    const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.flatMap(([, inner]) => collectValues(inner));
  }
  return [String(value)];
}

import { commonLength } from '../text/commonLength';

interface Node<T> {
  label: string;
  value?: T;
  children: Map<string, Node<T>>;
}

/** Finds all values whose key is a prefix of a text in a single pass. */
export class PrefixTrie<T> {
  private readonly root: Node<T> = { label: '', children: new Map() };

  set(key: string, value: T): void {
    let node = this.root;
    let rest = key;
    while (rest !== '') {
      const child = node.children.get(rest.charAt(0));
      if (child === undefined) {
        node.children.set(rest.charAt(0), { label: rest, value, children: new Map() });
        return;
      }
      const shared = commonLength(rest, child.label);
      if (shared < child.label.length) split(child, shared);
      node = child;
      rest = rest.slice(shared);
    }
    node.value = value;
  }

  /** Returns the values of all keys that are prefixes of the text, with the rest of the text. The longest key comes first. */
  along(text: string): { value: T; rest: string }[] {
    const found: { value: T; rest: string }[] = [];
    let node: Node<T> | undefined = this.root;
    let at = 0;
    while (node !== undefined) {
      if (node.value !== undefined) found.unshift({ value: node.value, rest: text.slice(at) });
      node = node.children.get(text.charAt(at));
      if (node === undefined || !text.startsWith(node.label, at)) break;
      at += node.label.length;
    }
    return found;
  }

  delete(key: string): void {
    const way: Node<T>[] = [this.root];
    let at = 0;
    while (at < key.length) {
      const next = way.at(-1)?.children.get(key.charAt(at));
      if (next === undefined || !key.startsWith(next.label, at)) return;
      way.push(next);
      at += next.label.length;
    }
    delete way.at(-1)?.value;
    for (let depth = way.length - 1; depth > 0; depth -= 1) {
      const node = way[depth];
      if (node === undefined || node.value !== undefined || node.children.size > 0) return;
      way[depth - 1]?.children.delete(node.label.charAt(0));
    }
  }
}

function split<T>(node: Node<T>, at: number): void {
  const lower: Node<T> = { label: node.label.slice(at), children: node.children };
  if (node.value !== undefined) lower.value = node.value;
  delete node.value;
  node.label = node.label.slice(0, at);
  node.children = new Map([[lower.label.charAt(0), lower]]);
}

/**
 * Makes the children of `target` equal to the children of `source`. Changes only nodes that differ, so that selection and focus survive
 * while text grows. Keeps the content of code placeholders.
 */
export function morph(target: Node, source: Node): void {
  const current = [...target.childNodes];
  const wanted = [...source.childNodes];
  wanted.forEach((node, index) => {
    const known = current[index];
    if (known === undefined) target.appendChild(node);
    else if (!morphNode(known, node)) target.replaceChild(node, known);
  });
  for (const surplus of current.slice(wanted.length)) target.removeChild(surplus);
}

/** Changes `known` to match `node`. Returns false if this is not possible. */
function morphNode(known: ChildNode, node: ChildNode): boolean {
  if (known instanceof Text && node instanceof Text) {
    if (node.data.startsWith(known.data)) known.appendData(node.data.slice(known.data.length));
    else known.data = node.data;
    return true;
  }
  if (!(known instanceof Element && node instanceof Element) || known.tagName !== node.tagName) return false;
  for (const { name } of [...known.attributes]) if (!node.hasAttribute(name)) known.removeAttribute(name);
  for (const { name, value } of [...node.attributes]) if (known.getAttribute(name) !== value) known.setAttribute(name, value);
  if (!node.hasAttribute('data-code')) morph(known, node);
  return true;
}

/**
 * Finds elements by role and accessible name, as assistive technology does. Supports what the view uses: native roles, `aria-label`,
 * `aria-labelledby`, `<label>` and names from content. Ignores hidden elements.
 */

const nativeRoles: Readonly<Record<string, string>> = {
  BUTTON: 'button',
  TEXTAREA: 'textbox',
  ARTICLE: 'article',
  UL: 'list',
  OL: 'list',
  LI: 'listitem',
  MAIN: 'main',
  SECTION: 'region',
  H1: 'heading',
  H2: 'heading',
  H3: 'heading',
  A: 'link',
  FORM: 'form',
  SELECT: 'combobox',
};
const inputRoles: Readonly<Record<string, string>> = {
  text: 'textbox',
  search: 'searchbox',
  checkbox: 'checkbox',
  radio: 'radio',
};
const namedByContent = new Set(['button', 'option', 'heading', 'link', 'listitem', 'status', 'tab']);

export function roleOf(element: Element): string | null {
  const explicit = element.getAttribute('role');
  if (explicit !== null) return explicit;
  if (element.tagName === 'A' && !element.hasAttribute('href')) return null;
  if (element instanceof HTMLInputElement) return inputRoles[element.type] ?? 'textbox';
  return nativeRoles[element.tagName] ?? null;
}

export function nameOf(element: Element): string {
  const label = element.getAttribute('aria-label');
  if (label !== null) return label;
  const by = element.getAttribute('aria-labelledby');
  if (by !== null) return textOfIds(by);
  if (element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement) {
    const [words] = element.labels ?? [];
    if (words !== undefined) return spokenText(words);
  }
  return namedByContent.has(roleOf(element) ?? '') ? spokenText(element) : '';
}

export function descriptionOf(element: Element): string {
  return textOfIds(element.getAttribute('aria-describedby') ?? '');
}

/** Returns the text that a screen reader reads, without hidden elements. */
export function spokenText(element: Element): string {
  return [...element.childNodes]
    .map((node) => (node instanceof Text ? node.data : node instanceof Element && !isHidden(node) ? spokenText(node) : ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([,.])/g, '$1')
    .trim();
}

export function all(root: Element, role: string, name?: string): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('*')].filter(
    (element) => roleOf(element) === role && !isInsideHidden(element) && (name === undefined || nameOf(element) === name),
  );
}

/** Returns the only element with this role and name. If there is not exactly one, the error lists the names found. */
export function get(root: Element, role: string, name?: string): HTMLElement {
  const found = all(root, role, name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = all(root, role).map((element) => JSON.stringify(nameOf(element)));
  throw new Error(`${found.length} of role ${role} named ${JSON.stringify(name)}; there are: ${names.join(', ')}`);
}

export function has(root: Element, role: string, name?: string): boolean {
  return all(root, role, name).length > 0;
}

function textOfIds(ids: string): string {
  const elements = ids.split(' ').map((id) => document.getElementById(id));
  return elements.map((element) => (element === null ? '' : spokenText(element))).join(' ');
}

function isHidden(element: Element): boolean {
  const isStyledAway = element instanceof HTMLElement && element.style.display === 'none';
  return element.getAttribute('aria-hidden') === 'true' || element.hasAttribute('hidden') || isStyledAway;
}

function isInsideHidden(element: Element): boolean {
  for (let at: Element | null = element; at !== null; at = at.parentElement) if (isHidden(at)) return true;
  return false;
}

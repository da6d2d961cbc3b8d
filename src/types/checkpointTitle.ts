type Translate = (text: string, ...args: string[]) => string;

/** Start of the stored title of a message's checkpoint. The message follows. */
export const beforeMessage = 'Before user message: ';

/** Shown form of titles that the extension stores in English. */
const plain: Record<string, string> = {
  'Initial state': 'Initial state',
  'Before command': 'Before command',
  'During command': 'During command',
  'After command': 'After command',
};
/** Shown form by the start of the stored title. `{0}` is the rest. */
const starts: Record<string, string> = {
  'Before user message': 'Before message: {0}',
  'Before continuing': 'Before continuing: {0}',
  'Before command': 'Before command: {0}',
  'During command': 'During command: {0}',
  'After command': 'After command: {0}',
  'Before restoring': 'Before restoring: {0}',
  Restored: 'Restored: {0}',
};

/** Start of the stored title of an approved state. The name of its work session follows. */
const approved = /^Approved: session_\d+$/;
/** Starts of the stored title of a checkpoint around a restore. The title of the restored checkpoint follows. */
const aroundRestore = /^(Before restoring|Restored): /;

/** Returns a checkpoint's title in the display language, with one prefix for nested restores. A title by the user stays. */
export function shownTitle(title: string, t: Translate): string {
  if (approved.test(title)) return t('Approved state');
  const text = Object.hasOwn(plain, title) ? plain[title] : undefined;
  if (text !== undefined) return t(text);
  const at = title.indexOf(': ');
  const start = title.slice(0, Math.max(0, at));
  const pattern = Object.hasOwn(starts, start) ? starts[start] : undefined;
  if (pattern === undefined) return title;
  const rest = title.slice(at + 2);
  return t(pattern, aroundRestore.test(title) ? shownTitle(innermost(rest), t) : rest);
}

/** Returns a stored title without the prefixes of restores. */
function innermost(title: string): string {
  return aroundRestore.test(title) ? innermost(title.replace(aroundRestore, '')) : title;
}

/** Returns the shown name of a work session, stored as `session_1`. */
export function shownWorkSession(name: string, t: Translate): string {
  return t('Work session {0}', name.replace(/^session_/, ''));
}

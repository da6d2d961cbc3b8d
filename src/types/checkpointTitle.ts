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

/** Returns a checkpoint's title in the display language. A title by the user stays. */
export function shownTitle(title: string, t: Translate): string {
  const text = Object.hasOwn(plain, title) ? plain[title] : undefined;
  if (text !== undefined) return t(text);
  const at = title.indexOf(': ');
  const start = title.slice(0, Math.max(0, at));
  const pattern = Object.hasOwn(starts, start) ? starts[start] : undefined;
  if (pattern === undefined) return title;
  const rest = title.slice(at + 2);
  return t(pattern, /^Restored$|^Before restoring$/.test(start) ? shownTitle(rest, t) : rest);
}

/** Returns the shown name of a work session, stored as `session_1`. */
export function shownWorkSession(name: string, t: Translate): string {
  return t('Work session {0}', name.replace(/^session_/, ''));
}

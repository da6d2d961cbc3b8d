import type { Translate } from './texts';

/** Prefix of the stored title of a message's checkpoint. The message follows it. */
export const beforeMessage = 'Before user message: ';
/** Prefix of the stored title of a checkpoint before a command. The command follows it. */
export const beforeCommand = 'Before command: ';

/** Displayed form of titles that the extension stores in English. */
const plain: Record<string, string> = {
  'Initial state': 'Initial state',
  'Before command': 'Before command',
  'During command': 'During command',
  'After command': 'After command',
};
/** Displayed titles by the prefix of the stored title. `{0}` is the rest of the title. */
const starts: Record<string, string> = {
  'Before user message': 'Before message: {0}',
  'Before continuing': 'Before continuing: {0}',
  'Before command': 'Before command: {0}',
  'During command': 'During command: {0}',
  'After command': 'After command: {0}',
  'Before restoring': 'Before restoring: {0}',
  Restored: 'Restored: {0}',
};

/** Stored title of an approved state. It contains the name of the work session. */
const approved = /^Approved: session_\d+$/;
/** Prefix of the stored title of a checkpoint before or after a restore. The title of the restored checkpoint follows it. */
const aroundRestore = /^(Before restoring|Restored): /;

/**
 * Returns the title of a checkpoint in the display language. Nested restores have only one prefix.
 * Titles that the user entered are returned unchanged.
 */
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

/** Returns the displayed name of a work session, which is stored in the form `session_1`. */
export function shownWorkSession(name: string, t: Translate): string {
  return t('Work session {0}', name.replace(/^session_/, ''));
}

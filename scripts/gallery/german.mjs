import { german } from './scenarios/base.mjs';

/** The same state with German texts. Text from models and users stays as it is. */
export const inGerman = (scenario) => ({ ...scenario, ready: { ...scenario.ready, l10n: german } });

const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Patterns of texts with placeholders, the longest first. */
const patterns = Object.entries(german)
  .filter(([text]) => /\{\d\}/.test(text) && !/^\{\d\}$/.test(text))
  .sort(([one], [other]) => other.length - one.length)
  .map(([text, translated]) => ({ pattern: patternOf(text), translated }));

/** Returns a pattern that matches a text with its values. A placeholder that occurs twice has the same value. */
function patternOf(text) {
  const seen = new Set();
  const withGroups = escaped(text).replaceAll(/\\\{(\d)\\\}/g, (_, index) => {
    const isSecond = seen.has(index);
    seen.add(index);
    return isSecond ? `\\k<v${index}>` : `(?<v${index}>.+)`;
  });
  return new RegExp(`^${withGroups}$`, 's');
}

/** Returns the German name of a button or field. */
export function germanName(name) {
  if (german[name] !== undefined) return german[name];
  for (const { pattern, translated } of patterns) {
    const values = pattern.exec(name)?.groups;
    if (values) return translated.replaceAll(/\{(\d)\}/g, (_, index) => germanName(values[`v${index}`] ?? ''));
  }
  return name;
}

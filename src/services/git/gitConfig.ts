import path from 'node:path';
import { fromHome } from '../../utils/files/fromHome';

/** Reads a text file. Returns null if it does not exist. */
export type ReadText = (file: string) => string | null;

/** Git settings that affect the ignore rules. The last occurrence of a setting takes precedence. */
export interface GitConfig {
  ignoreCase: boolean;
  /** `core.precomposeUnicode`. If true, Git composes the Unicode characters of file names. Used only on macOS. */
  composesNames: boolean;
  /** `core.excludesFile` as an absolute path; null if not set. A relative path is resolved against the working tree. */
  excludesFile: string | null;
  /** `core.hooksPath` as an absolute path; null if not set. A relative path is resolved against the working tree. */
  hooksPath: string | null;
  /** Length of a hash in the index, in bytes. */
  hashLength: number;
}

const maxIncludes = 10;

/** Reads configuration files in Git's order, from the most general to the most specific. Skips missing files. */
export function readGitConfig(
  files: readonly string[],
  home: string,
  repository: { top: string; gitDirectory: string } | null,
  read: ReadText,
): GitConfig {
  const gitDirectory = repository?.gitDirectory ?? null;
  const config: GitConfig = { ignoreCase: false, composesNames: false, excludesFile: null, hooksPath: null, hashLength: 20 };
  const visit = (file: string, depth: number): void => {
    for (const { section, subsection, key, value } of settingsIn(read(file) ?? '')) {
      const name = `${section}.${key}`;
      if (name === 'core.ignorecase') config.ignoreCase = isTrue(value);
      if (name === 'core.precomposeunicode') config.composesNames = isTrue(value);
      if (name === 'core.excludesfile')
        config.excludesFile = value === '' ? null : absolute(value, home, repository?.top ?? home);
      if (name === 'core.hookspath') config.hooksPath = value === '' ? null : absolute(value, home, repository?.top ?? home);
      if (name === 'extensions.objectformat') config.hashLength = value.toLowerCase() === 'sha256' ? 32 : 20;
      const isIncluded =
        name === 'include.path' || (name === 'includeif.path' && holds(subsection, gitDirectory, home, path.dirname(file)));
      if (isIncluded && depth < maxIncludes) visit(absolute(value, home, path.dirname(file)), depth + 1);
    }
  };
  for (const file of files) visit(file, 0);
  return config;
}

interface Setting {
  section: string;
  subsection: string;
  key: string;
  value: string;
}

function* settingsIn(text: string): Generator<Setting> {
  let section = '';
  let subsection = '';
  for (const line of text.replaceAll('\\\n', '').split(/\r?\n/)) {
    let rest = line.trim();
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest);
    if (header) {
      section = (header[1] as string).toLowerCase();
      subsection = (header[2] ?? '').replace(/\\(.)/g, '$1');
      rest = rest.slice(header[0].length).trim();
    }
    const setting = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest);
    if (setting)
      yield { section, subsection, key: (setting[1] as string).toLowerCase(), value: parseValue(setting[2] ?? 'true') };
  }
}

/** Parses a value. Quotes group text, `\` escapes a character, and a comment ends the value. */
function parseValue(text: string): string {
  let value = '';
  let isQuoted = false;
  let kept = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\') {
      index += 1;
      const escaped = text[index] ?? '';
      value += escaped === 'n' ? '\n' : escaped === 't' ? '\t' : escaped;
    } else if (!isQuoted && (character === '#' || character === ';')) break;
    else value += character;
    if (isQuoted || !/\s/.test(character)) kept = value.length;
  }
  return value.slice(0, kept);
}

function isTrue(value: string): boolean {
  return /^(true|yes|on|[1-9]\d*)$/i.test(value);
}

function absolute(value: string, home: string, folder: string): string {
  return value === '~' ? home : path.resolve(folder, fromHome(value, home));
}

/** Returns true if a `gitdir:` condition without wildcards is met. Other conditions are ignored. */
function holds(condition: string, gitDirectory: string | null, home: string, folder: string): boolean {
  const found = /^gitdir(\/i)?:(.*)$/.exec(condition);
  if (!found || gitDirectory === null) return false;
  const pattern = found[2] as string;
  const isRelative = pattern.startsWith('~') || pattern.startsWith('.');
  const wanted = isRelative ? absolute(pattern, home, folder).split(path.sep).join('/') : pattern;
  const prefix = pattern.endsWith('/') && !wanted.endsWith('/') ? `${wanted}/` : wanted;
  const [here, there] = found[1] ? [gitDirectory.toLowerCase(), prefix.toLowerCase()] : [gitDirectory, prefix];
  const whole = `${here.split(path.sep).join('/')}/`;
  return pattern.endsWith('/') ? whole.startsWith(there) : whole === `${there}/`;
}

import { visibleLine } from '../../protocol/text/visibleText';
import { t } from '../../utils/l10n';
import { definitionParts } from './definition';
import type { ServerConfig, WaitingFile } from './serverConfig';

/** Returns the names of the environment variables that servers get by `${env:NAME}`, each once. */
export function environmentNames(servers: readonly Pick<ServerConfig, 'reach'>[]): string[] {
  const found = servers.flatMap(({ reach }) => textsIn(reach)).flatMap((text) => [...text.matchAll(/\$\{env:([^}]*)\}/g)]);
  return [...new Set(found.map(([, name]) => name ?? ''))].sort();
}

/** Returns everything that the servers of a file are started with, as a text for a person to read before they agree. */
export function fileText({ path, servers, environment }: Pick<WaitingFile, 'path' | 'servers' | 'environment'>): string {
  const sections = servers.map(({ name, reach }) => [
    visibleLine(name),
    ...definitionParts({ reach, folder: null }).map(({ label, value }) => `  ${label}: ${indented(value)}`),
  ]);
  const names = [
    t('Variables of your environment that these servers get:'),
    ...environment.map((name) => `  ${visibleLine(name)}`),
  ];
  const all = [[visibleLine(path)], ...sections, ...(environment.length === 0 ? [] : [names])];
  return `${all.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Marks the further lines of a value, so that none can look like another part. */
function indented(value: string): string {
  return value.replaceAll('\n', '\n    ⏎ ');
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

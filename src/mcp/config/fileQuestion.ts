import { visibleLine } from '../../protocol/text/visibleText';
import { t } from '../../utils/l10n';
import { definitionParts } from './definition';
import type { ServerConfig, WaitingFile } from './serverConfig';

/** Returns the distinct names of all environment variables used as `${env:NAME}`. */
export function environmentNames(servers: readonly Pick<ServerConfig, 'reach'>[]): string[] {
  const found = servers.flatMap(({ reach }) => textsIn(reach)).flatMap((text) => [...text.matchAll(/\$\{env:([^}]*)\}/g)]);
  return [...new Set(found.map(([, name]) => name ?? ''))].sort();
}

/** Returns the complete definitions of a file's servers for the user to review before approval. */
export function fileText({ path, servers, environment }: Pick<WaitingFile, 'path' | 'servers' | 'environment'>): string {
  const sections = servers.map(({ name, reach }) => [
    visibleLine(name),
    ...definitionParts({ reach, folder: null }).map(({ label, value }) => `  ${label}: ${indented(value)}`),
  ]);
  const names = [t('Environment variables for these servers:'), ...environment.map((name) => `  ${visibleLine(name)}`)];
  const all = [[visibleLine(path)], ...sections, ...(environment.length === 0 ? [] : [names])];
  return `${all.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Marks continuation lines of a value, so that they cannot look like another part. */
function indented(value: string): string {
  return value.replaceAll('\n', '\n    ⏎ ');
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

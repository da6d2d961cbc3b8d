import { visibleLine, visibleText } from '../../protocol/text/visibleText';
import { t } from '../../utils/l10n';
import type { ServerConfig } from './serverConfig';
import { sha256Hex } from '../../utils/sha256';

/** Label and full text of one part of a definition, as shown to the user. */
export interface DefinitionPart {
  label: string;
  value: string;
}

/** Part that differs from an earlier definition. A missing part is null. */
export interface ChangedPart {
  label: string;
  before: string | null;
  after: string | null;
}

/** Configuration of a server, and the workspace folder that it depends on. */
export interface Definition {
  reach: ServerConfig['reach'];
  /** First workspace folder if the program depends on it. Otherwise null. */
  folder: string | null;
}

/**
 * Returns the definition of a server in a workspace. A server that is defined in the workspace,
 * or refers to its folder, is only valid there.
 */
export function createDefinition({ origin, reach }: ServerConfig, folder: string | null): Definition {
  const isLocal = origin === 'workspace' || JSON.stringify(reach).includes('${workspaceFolder}');
  return { reach, folder: isLocal ? folder : null };
}

/** Returns the SHA-256 of a definition. It does not depend on the order of properties. */
export function hashOfDefinition(definition: Definition): string {
  return sha256Hex(JSON.stringify(definition, inOrder));
}

/** Returns all parts of a definition in full, with invisible characters made visible. */
export function definitionParts({ reach, folder }: Definition): DefinitionPart[] {
  const named = (label: (name: string) => string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => part(label(visibleLine(name)), value));
  const parts =
    reach.kind === 'http'
      ? [part(t('Address'), reach.url), ...named((name) => t('Header {0}', name), reach.headers), ...clientParts(reach.oauth)]
      : [
          part(t('Program'), reach.command),
          ...reach.args.map((arg, index) => part(t('Argument {0}', index + 1), arg)),
          ...named((name) => t('Variable {0}', name), reach.env),
          ...(reach.cwd === null ? [] : [part(t('Folder'), reach.cwd)]),
          ...(reach.sandbox === true ? [part(t('Sandbox'), t('yes'))] : []),
        ];
  return folder === null ? parts : [...parts, part(t('Workspace'), folder)];
}

export function changedParts(before: Definition, after: Definition): ChangedPart[] {
  const [old, present] = [before, after].map((one) => new Map(definitionParts(one).map(({ label, value }) => [label, value])));
  const labels = new Set([...(old?.keys() ?? []), ...(present?.keys() ?? [])]);
  return [...labels].flatMap((label) => {
    const was = old?.get(label) ?? null;
    const is = present?.get(label) ?? null;
    return was === is ? [] : [{ label, before: was, after: is }];
  });
}

function clientParts(client: Extract<ServerConfig['reach'], { kind: 'http' }>['oauth']): DefinitionPart[] {
  return Object.entries(client ?? {}).map(([name, value]) => part(t('Sign-in {0}', name), String(value)));
}

function part(label: string, value: string): DefinitionPart {
  return { label, value: visibleText(value) };
}

/** Sorts the properties of objects by name. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

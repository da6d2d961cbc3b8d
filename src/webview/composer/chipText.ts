import type { AttachmentRef } from '../../protocol/entries';

/** Returns the label of an attachment, for example `app.ts:10-24`. */
export function chipName({ kind, path, startLine, endLine }: AttachmentRef): string {
  if (kind !== 'file' && kind !== 'selection' && kind !== 'folder' && kind !== 'editor' && kind !== 'image') return path;
  const name = path.split(/[\\/]/).at(-1) ?? path;
  if (startLine === undefined) return name;
  return endLine === undefined || endLine === startLine ? `${name}:${startLine}` : `${name}:${startLine}-${endLine}`;
}

/** Returns a key that is unique within a message. */
export function itemKey({ kind, path, startLine, endLine, image }: AttachmentRef): string {
  return [kind, image?.hash ?? path, startLine ?? '', endLine ?? ''].join('|');
}

const uriTypes = ['application/vnd.code.uri-list', 'text/uri-list'];

/** Returns true if the user drags files, not text. */
export function hasUris({ types }: Pick<DataTransfer, 'types'>): boolean {
  return uriTypes.some((type) => types.includes(type));
}

export function droppedUris(data: Pick<DataTransfer, 'getData'>): string[] {
  const list = uriTypes.map((type) => data.getData(type)).find((text) => text !== '') ?? '';
  return [
    ...new Set(
      list
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#')),
    ),
  ];
}

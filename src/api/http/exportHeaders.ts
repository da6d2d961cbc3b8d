import { exportExtensions, createFileName, type ExportFormat } from '../../services/export/exportNames';
import { withoutKeys } from '../../utils/sensitivity/keyShapes';

export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  markdown: 'text/markdown',
  html: 'text/html',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
};

/** Returns the headers for the content type and file name of an export (RFC 6266, name encoded as in RFC 5987). */
export function exportHeaders(format: ExportFormat, title: string): Record<string, string> {
  const extension = format === 'jsonl' ? '.jsonl' : exportExtensions[format];
  const name = `${createFileName(withoutKeys(title))}${extension}`.toWellFormed();
  const plain = name.replace(/[^ -~]|[%"\\]/gu, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return {
    'Content-Type': `${exportTypes[format]}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
  };
}

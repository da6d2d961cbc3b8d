/** `jsonl` is a folder with `session.json` and `transcript.jsonl`. All other formats are one file. */
export type ExportFormat = 'markdown' | 'json' | 'jsonl' | 'html';

export const exportExtensions: Readonly<Record<ExportFormat, string>> = {
  markdown: '.md',
  json: '.json',
  jsonl: '',
  html: '.html',
};

/** Returns a file name that is valid on all platforms. */
export function createFileName(title: string): string {
  const plain = title.replace(/[\u0000-\u001f<>:"/\\|?*]+/g, ' ').replace(/\s+/g, ' ');
  const name = [...plain]
    .slice(0, 80)
    .join('')
    .replace(/^[. ]+|[. ]+$/g, '');
  return name === '' || /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(name) ? `session ${name}`.trim() : name;
}

export const withoutSecrets = { toolOutput: true, thinking: true, fileContents: true, secrets: false } as const;

/** Returns the export format with a given name. Default: Markdown. */
export function findExportFormat(name: string): ExportFormat {
  return name === 'json' || name === 'jsonl' || name === 'html' ? name : 'markdown';
}

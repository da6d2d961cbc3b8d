import MarkdownIt from 'markdown-it';
import type { Entry } from '../../protocol/entries';
import type { ExportedHead } from '../../protocol/exportedSession';
import { dateAndTime, displayLanguage } from '../../types/format';
import { toBlocks, type ExportBlock } from './blocks';

/** Renders HTML from the model as text and loads no images. */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image');
/** Other URLs are rendered as text, because they could open programs or files of the reader. */
markdown.validateLink = (address) => /^(https?:\/\/|mailto:|#)/i.test(address);

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const style = `
:root { color-scheme: light dark; }
body { font: 15px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 2rem 0 .25rem; }
time, .about { color: GrayText; font-size: .85rem; font-weight: normal; }
pre { overflow: auto; padding: .75rem; border: 1px solid; border-color: color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px; }
details { margin: .5rem 0; } summary { cursor: pointer; }
.note { border-inline-start: 3px solid; padding-inline-start: .75rem; white-space: pre-wrap; }
`;

/** Converts a conversation to a self-contained page without scripts. */
export function* toHtml(session: ExportedHead, entries: readonly Entry[]): Generator<string, void> {
  const title = escaped(session.title);
  const about = [session.model, session.projectPath].filter((part) => part !== null).map(escaped);
  yield `<!doctype html>
<html lang="${displayLanguage()}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head>
<body><main><h1 dir="auto">${title}</h1>
<p class="about">${[...about, time(session.createdAt)].join(' · ')}</p>\n`;
  for (const block of toBlocks(entries)) yield `${renderBlock(block)}\n`;
  yield '</main></body></html>\n';
}

function renderBlock(block: ExportBlock): string {
  switch (block.kind) {
    case 'heading':
      return `<h2>${escaped(block.text)} ${time(block.time)}</h2>`;
    case 'prose':
      return `<div dir="auto">${markdown.render(block.text)}</div>`;
    case 'note':
      return `<p class="note" dir="auto">${escaped(block.text)}</p>`;
    case 'fold':
      return `<details><summary>${escaped(block.title)}</summary>${block.parts.map(({ text }) => `<pre>${escaped(text)}</pre>`).join('')}</details>`;
  }
}

function time(milliseconds: number): string {
  return `<time datetime="${new Date(milliseconds).toISOString()}">${escaped(dateAndTime(milliseconds))}</time>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

import type { FimParts } from './fimFamily';

/** Comment markers by file extension. All other files use `//`. */
const beginnings: readonly { marker: string; endings: readonly string[] }[] = [
  {
    marker: '#',
    endings: [
      'py',
      'pyi',
      'rb',
      'sh',
      'bash',
      'zsh',
      'yml',
      'yaml',
      'toml',
      'pl',
      'r',
      'jl',
      'ex',
      'exs',
      'ps1',
      'tf',
      'nix',
      'mk',
    ],
  },
  { marker: '--', endings: ['sql', 'lua', 'hs', 'elm', 'adb', 'ads', 'vhd'] },
  { marker: ';', endings: ['lisp', 'el', 'clj', 'scm', 'asm', 'ini'] },
  { marker: '%', endings: ['tex', 'erl', 'm'] },
];

export function commentMarker(path: string): string {
  const ending = path.split('.').at(-1)?.toLowerCase() ?? '';
  return beginnings.find(({ endings }) => endings.includes(ending))?.marker ?? '//';
}

/**
 * Formats snippets of other files as comments, for models without a file token. Returns an empty string if there are no snippets.
 */
export function commented({ path, context }: FimParts): string {
  if (context.length === 0) return '';
  const marker = commentMarker(path);
  const lines = context.flatMap(({ path: other, text }) => [`Path: ${other}`, ...text.trimEnd().split('\n')]);
  return [...lines, `Path: ${path}`].map((line) => `${marker} ${line}`.trimEnd() + '\n').join('');
}

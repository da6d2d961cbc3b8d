interface CommentMarks {
  line?: RegExp;
  block?: readonly [string, string];
}

const slashes: CommentMarks = { line: /\/\//, block: ['/*', '*/'] };
const hash: CommentMarks = { line: /#/ };
const dashes: CommentMarks = { line: /--/, block: ['/*', '*/'] };
const markup: CommentMarks = { block: ['<!--', '-->'] };

const marks: Readonly<Record<string, CommentMarks>> = {
  ...byName(['python', 'ruby', 'shellscript', 'perl', 'r', 'yaml', 'toml', 'makefile', 'dockerfile', 'elixir', 'julia'], hash),
  ...byName(['sql', 'lua', 'haskell'], dashes),
  ...byName(['html', 'xml', 'markdown', 'vue', 'svelte'], markup),
  css: { block: ['/*', '*/'] },
  php: { line: /\/\/|#/, block: ['/*', '*/'] },
  powershell: { line: /#/, block: ['<#', '#>'] },
  clojure: { line: /;/ },
  lisp: { line: /;/ },
  latex: { line: /%/ },
};

/** Returns whether a text ends inside a comment. For unknown languages, uses the comment markers of C. */
export function endsInComment(before: string, languageId: string): boolean {
  const { line: mark, block } = marks[languageId] ?? slashes;
  if (block !== undefined && before.lastIndexOf(block[0]) > before.lastIndexOf(block[1])) return true;
  const line = withoutStrings(before.slice(before.lastIndexOf('\n') + 1));
  return mark?.test(line) === true;
}

/** Removes strings, and the scheme of URLs because its slashes do not start a comment. */
function withoutStrings(line: string): string {
  return line.replace(/"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|`(?:\\.|[^`\\])*`?/g, '').replace(/\w+:\/\//g, '');
}

function byName(names: readonly string[], value: CommentMarks): Record<string, CommentMarks> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

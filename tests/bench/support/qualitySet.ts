import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export type QuestionKind = 'doc comment → function' | 'name in words → definition' | 'commit message → files';

/** Query of a user and the place of its answer: files and, except for commits, a line. */
export interface Question {
  kind: QuestionKind;
  text: string;
  files: string[];
  /** Line of the definition in the indexed text, from 1. */
  line: number | null;
}

/** Commit subjects with the files that each commit changed, written by `recordCommits`. */
export const sampledCommits = 'tests/bench/fixtures/commits.json';

const documented =
  /\/\*\*((?:(?!\*\/)[^])*?)\*\/[ \t]*\n((?:[ \t]*@[^\n]*\n)*)([ \t]*)(?:export )?(?:default )?(?:abstract )?(?:async )?(?:(?:private|protected|public|static|readonly|override|async|get) )*(function\*? |class )?([A-Za-z_$][\w$]*)[^\n]*/g;

/**
 * Copies source files into a folder without their doc comments, and returns the comments as questions. `sources` are folders in this
 * repository and in packages.
 */
export function buildSet(
  repository: string,
  sources: readonly string[],
  target: string,
  { files: mostFiles, questions: most }: { files: number; questions: number },
): Question[] {
  const questions: Question[] = [];
  const files = sources.flatMap((source) => filesIn(path.join(repository, source))).slice(0, mostFiles);
  for (const file of files) {
    const name = path.relative(repository, file).replaceAll('node_modules/', 'packages/');
    const { text, found } = withoutComments(readFileSync(file, 'utf8'));
    mkdirSync(path.dirname(path.join(target, name)), { recursive: true });
    writeFileSync(path.join(target, name), text);
    for (const { comment, symbol, line } of found) {
      questions.push({ kind: 'doc comment → function', text: comment, files: [name], line });
      const words = symbol
        .split(/(?<=[a-z])(?=[A-Z])|_/)
        .join(' ')
        .toLowerCase();
      if (words.includes(' ')) questions.push({ kind: 'name in words → definition', text: words, files: [name], line });
    }
  }
  const commits = commitsOf(repository, new Set(files.map((file) => path.relative(repository, file))));
  return [...thinned(questions, most), ...thinned(commits, most)];
}

function withoutComments(text: string): { text: string; found: { comment: string; symbol: string; line: number }[] } {
  const found: { comment: string; symbol: string; line: number }[] = [];
  let result = '';
  let end = 0;
  for (const match of text.matchAll(documented)) {
    const [whole, body = '', decorators = '', , keyword, symbol = ''] = match;
    const comment = textOf(body);
    const isDefinition = keyword !== undefined || /\)\s*(?::[^=]*)?\{\s*$/.test(whole);
    result += text.slice(end, match.index);
    end = match.index + whole.length;
    const definition = whole.slice(whole.indexOf('*/') + 2).replace(/^[ \t]*\n/, '');
    if (isDefinition && comment.split(' ').length >= 5 && !/^(?:if|for|while|return|switch)$/.test(symbol))
      found.push({ comment, symbol, line: result.split('\n').length + decorators.split('\n').length - 1 });
    result += definition;
  }
  return { text: result + text.slice(end), found };
}

/** Returns the text of a doc comment, without comment markers and tags. */
function textOf(body: string): string {
  const text = body
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''))
    .join(' ')
    .replace(/@\w+[^]*$/, '')
    .replace(/[`{}]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.slice(0, 400);
}

/** Returns questions from the sampled commits that changed one to five of the files. */
function commitsOf(repository: string, files: ReadonlySet<string>): Question[] {
  const sample = JSON.parse(readFileSync(path.join(repository, sampledCommits), 'utf8')) as Record<string, string[]>;
  return Object.entries(sample).flatMap(([subject, names]): Question[] => {
    const changed = names.filter((name) => files.has(name));
    if (changed.length === 0 || changed.length > 5) return [];
    return [{ kind: 'commit message → files', text: subject, files: changed, line: null }];
  });
}

/** Returns at most `most` questions of each kind, evenly spread and always the same. */
function thinned(questions: readonly Question[], most: number): Question[] {
  const kinds = [...new Set(questions.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const own = questions.filter((one) => one.kind === kind);
    const step = Math.max(1, own.length / most);
    return Array.from({ length: Math.min(most, own.length) }, (_, index) => own[Math.floor(index * step)] as Question);
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|js|mjs|cjs|py|vue)$/.test(entry.name) && !/\.(?:min|d)\./.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

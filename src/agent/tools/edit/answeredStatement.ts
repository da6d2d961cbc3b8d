import { indented, readIndent } from '../../../utils/text/codePlace';

/** Lines `[from, to)` of a file, counted from 0, that statements of a code block replace. */
interface StatementPlace {
  from: number;
  to: number;
}

/** Identity of a statement. Two statements with the same `id` are versions of each other. With the same `like`, they may be. */
interface Meaning {
  id: string;
  like: string;
  /** True if the same block cannot contain a second statement like this. */
  declares: boolean;
}

interface Statement extends StatementPlace {
  text: string;
  meaning: Meaning | null;
}

const leaving = /^(return|throw|raise|yield|break|continue)\b/;
const blockHead = /^(?:\}\s*)?(if|elif|else if|while|for|foreach|switch|match|with|catch|except|unless|until)\b(.*)$/;
const imported = /^(?:import|export)\b(?:[^=]*\bfrom)?\s*["']([^"']+)["']|^from\s+(\S+)\s+import\b/;
const notAssigned = /^(?:(?:def|class|function|fn|func|fun|import|from|using|package|else|try|do|async)\b|[@#*]|\/[/*]|- )/;
const quotedProperty = /^(["'])((?:\\.|(?!\1).)*)\1\s*:/;
const property = /^(--[\w-]+|[\w$][\w$.-]*)\??\s*:(?![:=])/;
const called = /^(?:await\s+)?([\w$.:]+!?)\s*\(/;
const continues = /^(?:\??\.\w|[?:]\s|&&|\|\||[+|]\s|(?:and|or)\s|(?:\}\s*)?(?:else|elif|catch|except|finally)\b)/;
const isContinued = /(?:[=+?\\]|&&|\|\||=>|\b(?:and|or))$/;

/**
 * Finds the statement at a line, or around it, that a code block replaces with another version. Includes neighbors that the block
 * repeats or changes. Returns `insert` if the block is new code. Returns `unsure` if it may be another version of nearby code.
 */
export function placeOfStatements(
  file: readonly string[],
  line: number,
  code: readonly string[],
): StatementPlace | 'insert' | 'unsure' {
  if ((file[line] ?? '').trim() === '') return 'insert';
  const answered = statementsIn(code);
  if (answered === null) return placeOfHead(file, line, code);
  for (const from of [line, ...outerLines(file, line)]) {
    const own = statementFrom(file, from);
    if (own === null || own.to <= line || own.meaning === null) continue;
    // A `return` or similar statement around the line must not be replaced if it contains a block.
    if (from !== line && leaving.test(own.text) && /\{$/.test(masked(own.text))) continue;
    const same = answered.filter(({ meaning }) => meaning?.id === own.meaning?.id);
    if (same.length > 1) return 'unsure';
    const [version] = same;
    if (version !== undefined) return withNeighbours(file, own, answered, answered.indexOf(version));
    if (from === line && answered.some(({ meaning }) => meaning?.like === own.meaning?.like)) return 'unsure';
  }
  return hasOther(file, { from: line, to: line + 1 }, answered) ? 'unsure' : 'insert';
}

/** Returns code with a different indentation. If only the first line lost its indentation, the other lines keep theirs. */
export function reindented(code: readonly string[], indent: string): string[] {
  const filled = code.filter((line) => line.trim() !== '');
  const before = readIndent(filled[0] ?? '');
  if (before === '' && indent !== '' && filled.length > 1 && filled.slice(1).every((line) => line.startsWith(indent))) {
    const isHead = readIndent(filled.at(-1) ?? '') === indent && /^[\s)\]}]+[;,]?$/.test(filled.at(-1) ?? '');
    if (isHead) return code.map((line) => (line === filled[0] ? indent + line : line));
  }
  return indented(code, indent);
}

/** Returns whether a line is a property with a quoted name, as in JSON. */
export function isProperty(line: string): boolean {
  return quotedProperty.test(line.trim());
}

/** Finds the position of code that consists only of the head of a block. */
function placeOfHead(file: readonly string[], line: number, code: readonly string[]): StatementPlace | 'insert' | 'unsure' {
  const [head, ...others] = code.filter((one) => one.trim() !== '');
  const own = readMeaning(file[line] ?? '');
  const other = readMeaning(head ?? '');
  if (other === null) return 'insert';
  const isSame = own?.like === other.like && countDepth(file[line] ?? '') === countDepth(head ?? '');
  return isSame && others.length === 0 ? { from: line, to: line + 1 } : 'unsure';
}

/** Extends a replaced statement to its neighbors in the file if the code contains versions of them, too. */
function withNeighbours(
  file: readonly string[],
  own: Statement,
  answered: readonly Statement[],
  index: number,
): StatementPlace | 'unsure' {
  let { from, to } = own;
  const added: Statement[] = [];
  for (const one of answered.slice(index + 1)) {
    const next = statementFrom(file, to);
    if (next !== null && isVersion(one, next)) ({ to } = next);
    else added.push(one);
  }
  for (const one of answered.slice(0, index).reverse()) {
    const before = statementBefore(file, from);
    if (before !== null && isVersion(one, before)) ({ from } = before);
    else added.push(one);
  }
  return hasOther(file, { from, to }, added) ? 'unsure' : { from, to };
}

function isVersion(one: Statement, other: Statement): boolean {
  return one.text === other.text || (one.meaning !== null && one.meaning.id === other.meaning?.id);
}

/**
 * Returns whether the block around the replaced lines already declares the same names,
 * or has code that would follow a new `return` or similar statement.
 */
function hasOther(file: readonly string[], { from, to }: StatementPlace, statements: readonly Statement[]): boolean {
  const indent = readIndent(file[from] ?? '').length;
  const isOutside = (line: string) => line.trim() !== '' && readIndent(line).length < indent;
  const start = file.slice(0, from).findLastIndex(isOutside) + 1;
  const after = file.slice(to).findIndex(isOutside);
  const end = after === -1 ? file.length : to + after;
  const isOwn = (line: string) => line.trim() !== '' && readIndent(line).length === indent;
  const others = [...file.slice(start, from), ...file.slice(to, end)].filter(isOwn).map((line) => readMeaning(line));
  const goesOn = file.slice(to, end).some(isOwn);
  return statements.some(({ text, meaning }) => {
    if (leaving.test(text)) return goesOn;
    return meaning?.declares === true && others.some((other) => other?.declares === true && other.like === meaning.like);
  });
}

/** Returns the statements of the code in order, or null if one of them is incomplete. */
function statementsIn(code: readonly string[]): Statement[] | null {
  const found: Statement[] = [];
  for (let at = 0; at < code.length; at = found.at(-1)?.to ?? at) {
    while (at < code.length && (code[at] ?? '').trim() === '') at += 1;
    if (at === code.length) break;
    const statement = statementFrom(code, at);
    const head = (code[at] ?? '').trim();
    // This is the header of a Python block, such as `if x:`, without its body.
    if (statement === null || (blockHead.test(head) && /:$/.test(masked(head)) && statement.to === at + 1)) return null;
    found.push(statement);
  }
  return found;
}

/** Returns the statement that begins at a line, or null if it is incomplete. */
function statementFrom(lines: readonly string[], from: number): Statement | null {
  const first = lines[from] ?? '';
  const indent = readIndent(first).length;
  let depth = 0;
  for (let at = from; at < lines.length; at += 1) {
    depth += countDepth(lines[at] ?? '');
    if (depth < 0) return null;
    if (depth > 0) continue;
    const next = lines[at + 1] ?? '';
    const isDeeper = readIndent(next).length > indent && next.trim() !== '';
    const end = masked(lines[at] ?? '');
    const begun = next.trim();
    if (isContinued.test(end) || (/:$/.test(masked(first)) && isDeeper)) continue;
    if (continues.test(begun) && (isDeeper || (blockHead.test(first.trim()) && readIndent(next).length === indent))) continue;
    if (/:$/.test(masked(first)) && at > from && begun === '' && isBodyBelow(lines, at + 1, indent)) continue;
    return { from, to: at + 1, text: first.trim(), meaning: readMeaning(first) };
  }
  return null;
}

function isBodyBelow(lines: readonly string[], from: number, indent: number): boolean {
  const next = lines.slice(from).find((line) => line.trim() !== '');
  return next !== undefined && readIndent(next).length > indent;
}

/** Returns the statement that ends directly before a line. */
function statementBefore(lines: readonly string[], line: number): Statement | null {
  for (let at = line - 1; at >= 0 && line - at < 50; at -= 1) {
    const found = statementFrom(lines, at);
    if (found?.to === line && readIndent(lines[at] ?? '') === readIndent(lines[line] ?? '')) return found;
  }
  return null;
}

/** Returns the lines that enclose a line, from the innermost to the outermost. Each is indented less than the previous line. */
function outerLines(lines: readonly string[], line: number): number[] {
  const found: number[] = [];
  // A closing bracket has the same indentation as the line that opens it.
  let indent = readIndent(lines[line] ?? '').length + (/^[)\]}]/.test((lines[line] ?? '').trim()) ? 1 : 0);
  for (let at = line - 1; at >= 0 && indent > 0; at -= 1) {
    const text = lines[at] ?? '';
    if (text.trim() === '' || readIndent(text).length >= indent) continue;
    found.push(at);
    indent = readIndent(text).length;
  }
  return found;
}

function readMeaning(line: string): Meaning | null {
  const text = line.trim();
  const quoted = quotedProperty.exec(text)?.[2];
  if (quoted !== undefined) return named(quoted, '', true);
  const [, leaves] = leaving.exec(text) ?? [];
  if (leaves !== undefined) return { id: leaves, like: leaves, declares: false };
  const [, word, rest = ''] = blockHead.exec(text) ?? [];
  if (word !== undefined) return { id: `${word} ${conditionIn(rest)}`, like: word, declares: false };
  const source = imported.exec(text);
  if (source !== null)
    return { id: `import ${source[1] ?? source[2]}`, like: `import ${source[1] ?? source[2]}`, declares: true };
  const label = /^(?:case\b[^:]+|default\s*):/.exec(text)?.[0];
  if (label !== undefined) return { id: label, like: label, declares: true };
  const tag = /^<[\w.:-]+/.exec(text)?.[0];
  if (tag !== undefined) return { id: text, like: tag, declares: false };
  if (notAssigned.test(text)) return null;
  const assigned = assignedIn(text);
  if (assigned !== null) return assigned;
  const key = property.exec(text)?.[1];
  if (key !== undefined) return named(key, '', true);
  const callee = called.exec(text)?.[1];
  return callee === undefined ? null : { id: text, like: `call ${callee}`, declares: false };
}

function named(name: string, operator: string, declares: boolean): Meaning {
  return { id: `${declares ? '=' : operator} ${name}`, like: `name ${name}`, declares };
}

/** Returns the text in the first pair of parentheses, otherwise the text before the block. */
function conditionIn(rest: string): string {
  let depth = 0;
  for (const [at, character] of [...masked(rest)].entries()) {
    if (character === '(') depth += 1;
    if (character === ')' && (depth -= 1) === 0 && rest.trim().startsWith('(')) return rest.slice(0, at + 1).trim();
  }
  return rest.replace(/\s*(?:\{|:|\bthen)\s*$/, '').trim();
}

/** Returns the identity of the name that a line assigns a value to. */
function assignedIn(text: string): Meaning | null {
  const plain = masked(text);
  let depth = 0;
  for (const [at, character] of [...plain].entries()) {
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    const isEqual = character === '=' && !/[=!<>]/.test(plain[at - 1] ?? '') && !/[=>~]/.test(plain[at + 1] ?? '');
    if (depth === 0 && isEqual) return readTarget(text.slice(0, at));
  }
  return null;
}

/** Parses the left side of an assignment, which may contain modifiers, types, the name and an operator. */
function readTarget(left: string): Meaning | null {
  const operator = /[-+*/%&|^?:.]+$/.exec(left.trim())?.[0] ?? '';
  const whole = left.trim().slice(0, left.trim().length - operator.length);
  const bare = whole.trim().replaceAll(/<[^<>]*>/g, '');
  const untyped = /^[\w$\s.]*?[\w$]\s*[?!]?:\s/.test(bare) ? bare.replace(/\s*[?!]?:\s.*$/, '') : bare;
  const pattern = /(?:^|\s)([[{(].*[\])}])$/.exec(untyped)?.[1];
  const name = pattern ?? (untyped.includes(',') ? untyped : /(?:[\w$@.]|->|::|\[[^\]]*\])+$/.exec(untyped)?.[0]);
  if (name === undefined) return null;
  return named(name.replaceAll(/\s+/g, ' '), operator === ':' ? '' : operator, operator === ':' || untyped !== name);
}

function countDepth(line: string): number {
  const text = masked(line);
  return text.split(/[([{]/).length - text.split(/[)\]}]/).length;
}

/** Returns a line without comments and trailing spaces. The content of strings is replaced by spaces. */
function masked(line: string): string {
  const quiet = line.replaceAll(
    /(["'`])(?:\\.|(?!\1).)*\1/g,
    (text) => text.charAt(0) + ' '.repeat(text.length - 2) + text.charAt(0),
  );
  return quiet.replace(/(?:^|\s)(?:\/\/|#\s|--\s).*$/, '').trimEnd();
}

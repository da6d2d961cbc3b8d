import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { parse as parseComponent } from 'vue/compiler-sfc';
import { filesIn } from './fingerprint.mjs';
import { inRoot } from './paths.mjs';

/**
 * Extraction and checks of the texts in the extension and the view. English is in the code, as the first argument of `t`, `phrase`,
 * `translatable` and `l10n.t`. Translations are in `l10n/bundle.l10n.LANGUAGE.json`, keyed by the English text, and in
 * `package.nls.LANGUAGE.json` for the manifest.
 */

/** Returns all texts in `src` in order, and the calls whose text could not be determined. */
export function extractTexts() {
  const files = filesIn(['src']).filter((file) => /\.(ts|vue)$/.test(file));
  const found = files.map((file) => textsOf(file, readFileSync(inRoot(file), 'utf8')));
  return { texts: [...new Set(found.flatMap(({ texts }) => texts))].sort(), problems: found.flatMap(({ problems }) => problems) };
}

/** Returns the texts of one script or component. */
export function textsOf(file, code) {
  return readScript(file, file.endsWith('.vue') ? scriptOf(file, code) : code);
}

/** Writes the file that translators start from. The editor does not read it. Every build regenerates it. */
export function writeBundle() {
  const { texts, problems } = extractTexts();
  mkdirSync(inRoot('l10n'), { recursive: true });
  const bundle = Object.fromEntries(texts.map((text) => [text, text]));
  writeFileSync(inRoot('l10n', 'bundle.l10n.json'), `${JSON.stringify(bundle, undefined, 2)}\n`);
  return { texts, problems };
}

/**
 * For each language, returns the missing translations (shown in English), the unused ones, and those whose placeholders differ from the
 * English text.
 */
export function checkTranslations() {
  const english = readJson('package.nls.json');
  const { texts } = extractTexts();
  return languages().map((language) => {
    const view = readJson(`l10n/bundle.l10n.${language}.json`);
    const manifest = readJson(`package.nls.${language}.json`);
    return {
      language,
      missing: [...texts.filter((text) => view[text] === undefined), ...Object.keys(english).filter((key) => !manifest[key])],
      unused: [
        ...Object.keys(view).filter((text) => !texts.includes(text)),
        ...Object.keys(manifest).filter((key) => english[key] === undefined),
      ],
      wrong: [
        ...Object.entries(view).filter(([text, translation]) => placeholders(text) !== placeholders(translation)),
        ...Object.entries(manifest).filter(
          ([key, translation]) => placeholders(english[key] ?? '') !== placeholders(translation),
        ),
      ].map(([text]) => text),
    };
  });
}

function languages() {
  const names = [...readdirSync(inRoot('l10n')), ...readdirSync(inRoot())];
  const found = names.flatMap((name) => /^(?:bundle\.l10n|package\.nls)\.([\w-]+)\.json$/.exec(name)?.[1] ?? []);
  return [...new Set(found)].sort();
}

function readJson(name) {
  return existsSync(inRoot(name)) ? JSON.parse(readFileSync(inRoot(name), 'utf8')) : {};
}

/** Returns the distinct placeholders, sorted. Translations may reorder and repeat them. */
function placeholders(text) {
  return [...new Set(text.match(/\{\d+\}/g) ?? [])].sort().join();
}

/** Returns a component as one script, so that its template can use texts from constants in its script. */
function scriptOf(file, code) {
  const { descriptor } = parseComponent(code, { filename: path.basename(file) });
  const expressions = expressionsOf(descriptor.template?.ast).map((expression) => `;(${expression});`);
  return [descriptor.script?.content, descriptor.scriptSetup?.content, ...expressions].filter(Boolean).join('\n');
}

/** Returns every template expression that can contain a text. */
export function expressionsOf(node) {
  if (node === null || typeof node !== 'object') return [];
  const own = [node.type === 5 ? node.content : undefined, node.type === 7 && node.name !== 'for' ? node.exp : undefined];
  return [
    ...own.flatMap((expression) => (expression?.content === undefined ? [] : [expression.content])),
    ...(node.props ?? []).flatMap(expressionsOf),
    ...(node.children ?? []).flatMap(expressionsOf),
  ];
}

/** Returns the texts in the given expressions, which may use the constants of the script. */
export function textsIn(file, script, expressions) {
  const asked = expressions.map((expression) => `;(${expression});`).join('\n');
  return readScript(file, `${script}\n${asked}`, script.length).texts;
}

export function parseScript(file, code) {
  return ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
}

/** Returns the initial values of a script's variables, by name. */
export function constantsOf(source) {
  const constants = new Map();
  each(source, (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, [...(constants.get(node.name.text) ?? []), node.initializer]);
    }
  });
  return constants;
}

/** Reads the texts of a script from offset `start`. */
function readScript(file, code, start = 0) {
  const source = parseScript(file, code);
  const constants = constantsOf(source);
  const texts = [];
  const problems = [];
  each(source, (node) => {
    if (node.pos < start || !ts.isCallExpression(node) || !isTextCall(node.expression) || node.arguments.length === 0) return;
    const found = literalsIn(node.arguments[0], constants, new Set());
    texts.push(...found);
    if (found.length === 0) problems.push(`${file}: ${node.getText(source)}`);
  });
  return { texts, problems };
}

/**
 * Returns true for `t(…)`, `phrase(…)` and `translatable(…)`, used in the view and the core, and for `l10n.t(…)`, used in code that imports
 * the VS Code API.
 */
function isTextCall(callee) {
  if (ts.isIdentifier(callee)) return ['t', 'phrase', 'translatable'].includes(callee.text);
  return ts.isPropertyAccessExpression(callee) && callee.name.text === 't' && /(^|\.)l10n$/.test(callee.expression.getText());
}

/** Returns the literals that an expression can evaluate to, following constants in the same file. */
export function literalsIn(node, constants, seen) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) {
    return [node.whenTrue, node.whenFalse].flatMap((branch) => literalsIn(branch, constants, seen));
  }
  if (ts.isElementAccessExpression(node)) return literalsIn(node.expression, constants, seen);
  if (ts.isIdentifier(node)) {
    if (seen.has(node.text)) return [];
    seen.add(node.text);
    return (constants.get(node.text) ?? []).flatMap((value) => literalsIn(value, constants, seen));
  }
  if (ts.isPropertyAccessExpression(node)) {
    const named = propertiesIn(node.expression, node.name.text, constants);
    return (named.length > 0 ? named : [node.expression]).flatMap((value) => literalsIn(value, constants, seen));
  }
  if (ts.isPropertyAssignment(node)) return literalsIn(node.initializer, constants, seen);
  if (ts.isBinaryExpression(node)) {
    const [before, after] = [node.left, node.right].map((side) => literalsIn(side, constants, seen));
    if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return [...before, ...after];
    return before.flatMap((start) => after.map((end) => start + end));
  }
  if (ts.isCallExpression(node)) return node.arguments.flatMap((argument) => literalsIn(argument, constants, seen));
  const inside = [];
  ts.forEachChild(node, (child) => void inside.push(...literalsIn(child, constants, seen)));
  return inside;
}

/** Returns the values of property `name` in all objects that an expression can come from, following constants in the same file. */
function propertiesIn(expression, name, constants, seen = new Set()) {
  const found = [];
  each(expression, (node) => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === name) found.push(node.initializer);
    if (!ts.isIdentifier(node) || seen.has(node.text)) return;
    seen.add(node.text);
    for (const value of constants.get(node.text) ?? []) found.push(...propertiesIn(value, name, constants, seen));
  });
  return found;
}

function each(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}

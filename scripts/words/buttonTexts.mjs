import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { parse as parseComponent } from 'vue/compiler-sfc';
import { constantsOf, expressionsOf, literalsIn, parseScript, textsIn } from '../lib/l10n.mjs';
import { filesIn } from '../lib/fingerprint.mjs';
import { inRoot } from '../lib/paths.mjs';

/** Elements in the view whose content is a button text. */
const buttonElements = ['button', 'TextButton'];
/** Functions of the editor whose arguments after the first are buttons of a message. */
const messageCalls = /\.show(?:Information|Warning|Error)Message$/;

/** Returns the English texts of all buttons in `src` that can be determined from the code. */
export function buttonTexts() {
  const files = filesIn(['src']).filter((file) => /\.(ts|vue)$/.test(file));
  return [...new Set(files.flatMap((file) => buttonTextsOf(file, readFileSync(inRoot(file), 'utf8'))))].sort();
}

/** Returns the button texts of one script or component. */
export function buttonTextsOf(file, code) {
  return file.endsWith('.vue') ? textsOfComponent(file, code) : textsOfMessages(file, code);
}

/** Returns the texts in the content of button elements. Ignores attributes (names, tooltips) and nested components. */
function textsOfComponent(file, code) {
  const { descriptor } = parseComponent(code, { filename: file });
  const script = [descriptor.script?.content, descriptor.scriptSetup?.content].filter(Boolean).join('\n');
  const expressions = buttonsIn(descriptor.template?.ast).flatMap((button) =>
    button.children.flatMap((child) => expressionsOf({ ...child, props: [] })),
  );
  return textsIn(file, script, expressions);
}

function buttonsIn(node) {
  if (node === null || typeof node !== 'object') return [];
  const inside = (node.children ?? []).flatMap(buttonsIn);
  return buttonElements.includes(node.tag) ? [node, ...inside] : inside;
}

/** Returns the buttons of the editor's messages, and the property `yes` of its dialogs. */
function textsOfMessages(file, code) {
  const source = parseScript(file, code);
  const constants = constantsOf(source);
  const texts = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && messageCalls.test(node.expression.getText(source)))
      for (const argument of node.arguments.slice(1)) texts.push(...titlesIn(argument, constants, new Set()));
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'yes')
      texts.push(...literalsIn(node.initializer, constants, new Set()));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** Returns the button texts that an argument contains: a text, an object with a `title`, or a list of either. */
function titlesIn(node, constants, seen) {
  if (ts.isIdentifier(node)) {
    if (seen.has(node.text)) return [];
    seen.add(node.text);
    return (constants.get(node.text) ?? []).flatMap((value) => titlesIn(value, constants, seen));
  }
  if (ts.isObjectLiteralExpression(node))
    return node.properties
      .filter((property) => ts.isPropertyAssignment(property) && property.name.getText() === 'title')
      .flatMap((property) => titlesIn(property.initializer, constants, seen));
  if (ts.isSpreadElement(node)) return titlesIn(node.expression, constants, seen);
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap((element) => titlesIn(element, constants, seen));
  return literalsIn(node, constants, seen);
}

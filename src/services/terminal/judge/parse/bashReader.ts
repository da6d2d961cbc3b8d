import type { SyntaxNode } from '../../../syntax/grammars';
import { withSources } from './innerCommands';
import { emptyCommand, type Script, type SimpleCommand } from './script';
import { named, ScriptReader } from './scriptReader';

const simple = new Set(['command', 'declaration_command', 'unset_command', 'test_command']);
const substitutions = new Set(['command_substitution', 'process_substitution']);

export class BashReader extends ScriptReader {
  private readonly values = new Map<string, string>();

  override read(root: SyntaxNode): Script {
    this.collect(root);
    return super.read(root);
  }

  protected walk(node: SyntaxNode, sources: SimpleCommand[], isShown: boolean): SimpleCommand[] {
    if (simple.has(node.type)) return [this.command(node, sources, isShown)];
    if (node.type === 'variable_assignment' || node.type === 'variable_assignments')
      return [this.command(node, sources, isShown)];
    if (node.type === 'redirected_statement') return this.redirected(node, sources, isShown);
    if (node.type === 'pipeline') return this.walkPipeline(node, sources, isShown);
    if (substitutions.has(node.type)) this.hasSubstitution = true;
    return this.walkAll(named(node), sources, isShown && !substitutions.has(node.type));
  }

  private redirected(node: SyntaxNode, sources: SimpleCommand[], isShown: boolean): SimpleCommand[] {
    const body = node.childForFieldName('body');
    const made = body ? this.walk(body, sources, isShown) : [];
    const isAlone =
      body !== null &&
      (simple.has(body.type) || body.type === 'list' || body.type === 'pipeline' || body.type === 'negated_command');
    let target = isAlone ? made.at(-1) : undefined;
    if (!target) {
      target = this.add(emptyCommand(node.text.slice((body?.endIndex ?? node.startIndex) - node.startIndex).trim()), isShown);
      target.sources = sources;
    } else if (body) target.text += node.text.slice(body.endIndex - node.startIndex).split('\n')[0] ?? '';
    for (const child of named(node)) if (child.startIndex !== body?.startIndex) this.redirect(child, target, isShown, made);
    // The body of `while … done < <(…)` reads the output of the redirected command.
    if (!isAlone) for (const one of made) one.sources.push(...target.inner);
    return [...made, ...(isAlone ? [] : [target])];
  }

  private redirect(node: SyntaxNode, command: SimpleCommand, isShown: boolean, before: SimpleCommand[]): void {
    if (node.type === 'file_redirect') {
      const operator = node.children.find((child) => child && /[<>]/.test(child.type))?.type ?? '>';
      const destination = node.childForFieldName('destination');
      if (!destination) return;
      const value = this.value(destination, command);
      if (operator.startsWith('<') && operator !== '<>') command.readsFrom.push(value);
      else if (!(operator.endsWith('&') && /^(\d+|-)$/.test(value))) command.writesTo.push(value);
      // Words after the redirection target are arguments again.
      for (const child of named(node))
        if (child.startIndex > destination.endIndex) command.words.push(this.value(child, command));
    } else if (node.type === 'herestring_redirect') {
      for (const child of named(node)) command.inputTexts.push(this.value(child, command));
    } else if (node.type === 'heredoc_redirect') {
      for (const child of named(node)) {
        if (child.type === 'heredoc_body') {
          command.inputTexts.push(child.text);
          for (const inner of named(child)) this.value(inner, command);
        } else if (child.type === 'heredoc_start' || child.type === 'heredoc_end' || child.type === 'file_descriptor') continue;
        else if (child.type.endsWith('_redirect')) this.redirect(child, command, isShown, before);
        else if (/^(word|string|raw_string|concatenation|number|simple_expansion|expansion|ansi_c_string)$/.test(child.type))
          command.words.push(this.value(child, command));
        else before.push(...this.walk(child, withSources(before, []), isShown));
      }
    }
  }

  private command(node: SyntaxNode, sources: SimpleCommand[], isShown: boolean): SimpleCommand {
    const command = emptyCommand(node.text);
    command.sources = [...sources];
    if (node.type === 'test_command') command.words.push('test');
    for (const child of node.children) {
      if (!child) continue;
      if (child.type === 'variable_assignment') this.assign(child, command, node.type === 'declaration_command');
      else if (child.type.endsWith('_redirect')) this.redirect(child, command, isShown, []);
      else if (node.type === 'test_command') this.value(child, command);
      else if (child.type === 'command_name') command.words.push(...named(child).map((name) => this.value(name, command)));
      else command.words.push(this.value(child, command));
    }
    if (node.type === 'variable_assignment') this.assign(node, command, false);
    return this.add(command, isShown);
  }

  private assign(node: SyntaxNode, command: SimpleCommand, isDeclared: boolean): void {
    const name = node.childForFieldName('name');
    const value = node.childForFieldName('value');
    const text = value ? this.value(value, command) : '';
    if (isDeclared) command.words.push(`${name?.text ?? ''}=${text}`);
    else command.assigned.push({ name: (name?.text ?? '').replace(/\[.*$/s, ''), value: text });
  }

  /** Returns the value of a node. Substitutions stay as written. Their commands become inner commands. */
  private value(node: SyntaxNode, command: SimpleCommand): string {
    switch (node.type) {
      case 'raw_string':
        return node.text.slice(1, -1);
      case 'ansi_c_string':
        return escapes(node.text.slice(2, -1));
      case 'word':
        return node.text.replace(/\\\n/g, '').replace(/\\(.)/gs, '$1');
      case 'simple_expansion':
      case 'expansion': {
        for (const child of named(node)) this.value(child, command);
        return this.values.get(/^\$\{?(\w+)\}?$/.exec(node.text)?.[1] ?? '') ?? node.text;
      }
    }
    if (substitutions.has(node.type)) {
      command.inner.push(...this.walk(node, [], false));
      return node.text;
    }
    const isString = node.type === 'string' || node.type === 'translated_string';
    const own = node.text;
    let text = '';
    let at = node.startIndex;
    const raw = (end: number): string => {
      const piece = own.slice(at - node.startIndex, end - node.startIndex);
      return isString ? piece.replace(/\\([$`"\\\n])/g, (_, char: string) => (char === '\n' ? '' : char)) : piece;
    };
    for (const child of named(node)) {
      text += raw(child.startIndex);
      at = child.startIndex;
      text += child.type === 'string_content' ? raw(child.endIndex) : this.value(child, command);
      at = child.endIndex;
    }
    text += named(node).length === 0 && !isString ? own : raw(node.endIndex);
    return isString ? text.replace(/^\$?"|"$/g, '') : text;
  }

  /** Records variables whose assigned value is plain text. */
  private collect(node: SyntaxNode): void {
    if (node.type === 'variable_assignment') {
      const name = node.childForFieldName('name')?.text ?? '';
      const value = node.childForFieldName('value');
      const text = value && !hasSubstitution(value) ? this.value(value, emptyCommand('')) : null;
      if (text !== null && !/[$`]/.test(text)) this.values.set(name, text);
    }
    for (const child of named(node)) this.collect(child);
  }
}

function hasSubstitution(node: SyntaxNode): boolean {
  return substitutions.has(node.type) || named(node).some(hasSubstitution);
}

/** Resolves the escape sequences of `$'…'`. */
function escapes(text: string): string {
  const letters: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '', b: '', e: '', f: '', v: '' };
  return text.replace(/\\(x[\da-f]{1,2}|u[\da-f]{1,4}|U[\da-f]{1,8}|[0-7]{1,3}|.)/gis, (_, escape: string) => {
    const code = /^[xuU]/.test(escape)
      ? Number.parseInt(escape.slice(1), 16)
      : /^[0-7]/.test(escape)
        ? Number.parseInt(escape, 8)
        : NaN;
    return Number.isNaN(code) ? (letters[escape] ?? escape) : code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

import type { SyntaxNode } from '../../../syntax/grammars';
import { withSources } from './innerCommands';
import { emptyCommand, type Script, type SimpleCommand } from './script';

/** Reads the commands out of a tree of the PowerShell grammar. */
export function powershellScript(root: SyntaxNode): Script {
  const commands: SimpleCommand[] = [];
  const shown: SimpleCommand[] = [];
  let hasSubstitution = false;

  const walk = (node: SyntaxNode, sources: SimpleCommand[], isShown: boolean): SimpleCommand[] => {
    if (node.type === 'command') return [build(node, sources, isShown)];
    if (node.type === 'pipeline_chain') {
      let before = sources;
      return named(node).flatMap((stage) => {
        const made = walk(stage, before, isShown);
        before = withSources(made, before);
        return made;
      });
    }
    const made: SimpleCommand[] = [];
    if (node.type === 'invokation_expression' || node.type === 'cast_expression') {
      const call = emptyCommand(node.text);
      call.words = ['.net', node.text];
      made.push(add(call, isShown));
    }
    return [...made, ...named(node).flatMap((child) => walk(child, sources, isShown))];
  };

  const add = (command: SimpleCommand, isShown: boolean): SimpleCommand => {
    commands.push(command);
    if (isShown) shown.push(command);
    return command;
  };

  const build = (node: SyntaxNode, sources: SimpleCommand[], isShown: boolean): SimpleCommand => {
    const command = emptyCommand(node.text);
    command.sources = [...sources];
    const take = (part: SyntaxNode): void => {
      if (part.type === 'command_elements') for (const child of named(part)) take(child);
      else if (part.type === 'command_argument_sep' || part.type === 'command_invokation_operator') return;
      else if (part.type === 'foreach_command') {
        command.words.push('foreach-object');
        command.inner.push(...named(part).flatMap((child) => walk(child, sources, false)));
      } else if (part.type === 'redirection') {
        const target = named(part).find(({ type }) => type === 'redirected_file_name');
        if (target) command.writesTo.push(unquoted(target.text.trim()));
      } else if (part.type === 'array_literal_expression') for (const child of named(part)) word(child);
      else word(part);
    };
    const word = (part: SyntaxNode): void => {
      command.words.push(unquoted(part.text));
      const isBlock = part.type === 'script_block_expression';
      // A block runs on what is piped into its command.
      const inner = walk(part, isBlock ? sources : [], false);
      if (inner.length > 0 && !isBlock) hasSubstitution = true;
      command.inner.push(...inner);
    };
    for (const child of named(node)) take(child);
    return add(command, isShown);
  };

  walk(root, [], true);
  return { commands, shown, hasSubstitution, fault: root.hasError ? 'syntax' : null };
}

function unquoted(text: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  return (quoted ? (quoted[2] ?? '') : text).replace(/`(.)/gs, '$1');
}

function named(node: SyntaxNode): SyntaxNode[] {
  return node.namedChildren.filter((child) => child !== null);
}

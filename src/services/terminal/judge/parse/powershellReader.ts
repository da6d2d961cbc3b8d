import type { SyntaxNode } from '../../../syntax/grammars';
import { emptyCommand, type SimpleCommand } from './script';
import { named, ScriptReader } from './scriptReader';

export class PowershellReader extends ScriptReader {
  protected walk(node: SyntaxNode, sources: SimpleCommand[], isShown: boolean): SimpleCommand[] {
    if (node.type === 'command') return [this.command(node, sources, isShown)];
    if (node.type === 'pipeline_chain') return this.walkPipeline(node, sources, isShown);
    const made: SimpleCommand[] = [];
    if (node.type === 'invokation_expression' || node.type === 'cast_expression')
      made.push(this.add({ ...emptyCommand(node.text), words: ['.net', node.text] }, isShown));
    return [...made, ...this.walkAll(named(node), sources, isShown)];
  }

  private command(node: SyntaxNode, sources: SimpleCommand[], isShown: boolean): SimpleCommand {
    const command = { ...emptyCommand(node.text), sources: [...sources] };
    for (const child of named(node)) this.take(child, command);
    return this.add(command, isShown);
  }

  private take(part: SyntaxNode, command: SimpleCommand): void {
    switch (part.type) {
      case 'command_elements':
        for (const child of named(part)) this.take(child, command);
        break;
      case 'command_argument_sep':
      case 'command_invokation_operator':
        break;
      case 'foreach_command':
        command.words.push('foreach-object');
        command.inner.push(...this.walkAll(named(part), command.sources, false));
        break;
      case 'redirection': {
        const target = named(part).find(({ type }) => type === 'redirected_file_name');
        if (target) command.writesTo.push(unquoted(target.text.trim()));
        break;
      }
      case 'array_literal_expression':
        for (const child of named(part)) this.word(child, command);
        break;
      default:
        this.word(part, command);
    }
  }

  private word(part: SyntaxNode, command: SimpleCommand): void {
    command.words.push(unquoted(part.text));
    const isBlock = part.type === 'script_block_expression';
    // A script block reads the input of the command that contains it.
    const inner = this.walk(part, isBlock ? command.sources : [], false);
    if (inner.length > 0 && !isBlock) this.hasSubstitution = true;
    command.inner.push(...inner);
  }
}

function unquoted(text: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  return (quoted ? (quoted[2] ?? '') : text).replace(/`(.)/gs, '$1');
}

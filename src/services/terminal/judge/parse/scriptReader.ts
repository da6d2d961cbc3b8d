import type { SyntaxNode } from '../../../syntax/grammars';
import { withSources } from './innerCommands';
import type { Script, SimpleCommand } from './script';

/** Collects the commands of a syntax tree in order. Subclasses interpret the nodes of one grammar. */
export abstract class ScriptReader {
  protected hasSubstitution = false;
  private readonly commands: SimpleCommand[] = [];
  private readonly shown: SimpleCommand[] = [];

  read(root: SyntaxNode): Script {
    this.walk(root, [], true);
    const { commands, shown, hasSubstitution } = this;
    return { commands, shown, hasSubstitution, fault: root.hasError ? 'syntaxFault' : null };
  }

  /** Adds the commands under a node and returns them. `sources` are the commands whose output is piped into them. */
  protected abstract walk(node: SyntaxNode, sources: SimpleCommand[], isShown: boolean): SimpleCommand[];

  protected walkAll(nodes: readonly SyntaxNode[], sources: SimpleCommand[], isShown: boolean): SimpleCommand[] {
    return nodes.flatMap((node) => this.walk(node, sources, isShown));
  }

  /** Adds the stages of a pipeline. Each stage reads the output of all previous stages. */
  protected walkPipeline(node: SyntaxNode, sources: SimpleCommand[], isShown: boolean): SimpleCommand[] {
    let before = sources;
    return named(node).flatMap((stage) => {
      const made = this.walk(stage, before, isShown);
      before = withSources(made, before);
      return made;
    });
  }

  protected add(command: SimpleCommand, isShown: boolean): SimpleCommand {
    this.commands.push(command);
    if (isShown) this.shown.push(command);
    return command;
  }
}

export function named(node: SyntaxNode): SyntaxNode[] {
  return node.namedChildren.filter((child) => child !== null);
}

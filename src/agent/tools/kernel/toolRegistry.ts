import type { WireTool } from '../../../types/ollama';
import type { Tool } from './tool';
import { toolNamed } from './toolNames';

/** The tools there are, in a fixed order (the prompt's prefix depends on it). */
export class ToolRegistry {
  private readonly byName: ReadonlyMap<string, Tool>;

  constructor(private readonly tools: readonly Tool[]) {
    this.byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  get(name: string): Tool | undefined {
    return this.byName.get(name);
  }

  /** The name of the tool that a model means, however it spells it. */
  resolve(name: string): string | undefined {
    return toolNamed(name, this.tools);
  }

  names(): string[] {
    return this.tools.map((tool) => tool.name);
  }

  get isEmpty(): boolean {
    return this.tools.length === 0;
  }

  /** Some of them, in the same order. */
  only(isWanted: (tool: Tool) => boolean): ToolRegistry {
    return new ToolRegistry(this.tools.filter(isWanted));
  }

  /** Each of them as `change` makes it, in the same order. */
  map(change: (tool: Tool) => Tool): ToolRegistry {
    return new ToolRegistry(this.tools.map(change));
  }

  wire(): WireTool[] {
    return this.tools.map((tool) => tool.wire);
  }
}

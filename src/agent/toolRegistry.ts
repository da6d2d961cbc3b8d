import type { WireTool } from '../types/ollama';
import type { Tool } from './tool';

/** The tools there are, in a fixed order (the prompt's prefix depends on it). */
export class ToolRegistry {
  private readonly byName: ReadonlyMap<string, Tool>;

  constructor(private readonly tools: readonly Tool[]) {
    this.byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  get(name: string): Tool | undefined {
    return this.byName.get(name);
  }

  names(): string[] {
    return this.tools.map((tool) => tool.name);
  }

  wire(): WireTool[] {
    return this.tools.map((tool) => tool.wire);
  }
}

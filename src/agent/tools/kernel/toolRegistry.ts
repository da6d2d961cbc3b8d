import type { WireTool } from '../../../types/ollama';
import type { Tool } from './tool';
import { toolNamed } from './toolNames';

/** Set of tools that can change, such as those of MCP servers. */
export interface ToolSource {
  /** Resolves when the tools are available, or after a time limit. Never rejects. */
  ready(signal: AbortSignal): Promise<void>;
  tools(): readonly Tool[];
}

/**
 * Available tools in a fixed order, which the prompt cache requires. `only` and `map` return a fixed
 * snapshot. A request declares all tools or only some of them. The model loads the others (`compactTools`).
 */
export class ToolRegistry {
  constructor(
    private readonly own: readonly Tool[],
    private readonly sources: readonly ToolSource[] = [],
    private readonly isOff: (name: string) => boolean = () => false,
    private readonly declared: ReadonlySet<string> | null = null,
  ) {}

  private get tools(): readonly Tool[] {
    return this.everyTool.filter(({ name }) => !this.isOff(name));
  }

  private get declaredTools(): readonly Tool[] {
    return this.declared === null ? this.tools : this.tools.filter(({ name }) => this.declared?.has(name));
  }

  private get everyTool(): readonly Tool[] {
    return this.sources.length === 0 ? this.own : [...this.own, ...this.sources.flatMap((source) => source.tools())];
  }

  /** Returns all tools with their state, including disabled tools. */
  all(): { tool: Tool; isOn: boolean }[] {
    return this.everyTool.map((tool) => ({ tool, isOn: !this.isOff(tool.name) }));
  }

  /** Resolves when the tools of the sources are available. */
  async ready(signal: AbortSignal): Promise<void> {
    await Promise.all(this.sources.map((source) => source.ready(signal)));
  }

  /** Adds sources of tools. Disabled tools are filtered out at each access. */
  with(sources: readonly ToolSource[], isOff: (name: string) => boolean): ToolRegistry {
    return new ToolRegistry(this.own, [...this.sources, ...sources], isOff);
  }

  /** Returns the built-in tools that `isWanted` accepts. Disabled tools are filtered out at each access. */
  ofOwn(isWanted: (tool: Tool) => boolean): ToolRegistry {
    return new ToolRegistry(this.own.filter(isWanted), [], this.isOff);
  }

  get(name: string): Tool | undefined {
    return this.tools.find((tool) => tool.name === name);
  }

  /** Returns the exact name of a tool for a name in any spelling. */
  resolve(name: string): string | undefined {
    return toolNamed(name, this.tools);
  }

  names(): string[] {
    return this.tools.map((tool) => tool.name);
  }

  get isEmpty(): boolean {
    return this.tools.length === 0;
  }

  /** Returns the tools that `isWanted` accepts, in the same order. */
  only(isWanted: (tool: Tool) => boolean): ToolRegistry {
    return this.fixed(this.tools.filter(isWanted));
  }

  /** Returns the tools with the named tool moved to the end. */
  withLast(name: string): ToolRegistry {
    const last = this.tools.filter((tool) => tool.name === name);
    return this.fixed([...this.tools.filter((tool) => tool.name !== name), ...last]);
  }

  /** Returns the tools after `change`, in the same order. */
  map(change: (tool: Tool) => Tool): ToolRegistry {
    return this.fixed(this.tools.map(change));
  }

  /** Returns the tools together with `more`. Requests declare only the tools in `names`. */
  declaring(names: ReadonlySet<string>, more: readonly Tool[]): ToolRegistry {
    return new ToolRegistry([...this.tools, ...more], [], undefined, names);
  }

  isDeclared(name: string): boolean {
    return this.declaredTools.some((tool) => tool.name === name);
  }

  declaredNames(): string[] {
    return this.declaredTools.map((tool) => tool.name);
  }

  /** Returns the declared tools in the format of the request. */
  wire(): WireTool[] {
    return this.declaredTools.map((tool) => tool.wire);
  }

  /** Returns the declared tools and the tools whose names occur in a text. */
  wireFor(text: string): WireTool[] {
    const declared = new Set(this.declaredNames());
    return this.tools.filter(({ name }) => declared.has(name) || text.includes(name)).map((tool) => tool.wire);
  }

  private fixed(tools: readonly Tool[]): ToolRegistry {
    return new ToolRegistry(tools, [], undefined, this.declared);
  }
}

import type { WireTool } from '../../../types/ollama';
import type { Tool } from './tool';
import { toolNamed } from './toolNames';

/** Tools that come and go, such as those of servers that other people have written. */
export interface ToolSource {
  /** Resolves when the tools there will be are there, as far as they come in good time. Never rejects. */
  ready(signal: AbortSignal): Promise<void>;
  tools(): readonly Tool[];
}

/** The tools there are, in a fixed order (the prompt's prefix depends on it). What is made of one is as it was then: `only` and `map` fix them. */
export class ToolRegistry {
  constructor(
    private readonly own: readonly Tool[],
    private readonly sources: readonly ToolSource[] = [],
    private readonly isOff: (name: string) => boolean = () => false,
  ) {}

  private get tools(): readonly Tool[] {
    return this.everyTool.filter(({ name }) => !this.isOff(name));
  }

  private get everyTool(): readonly Tool[] {
    return this.sources.length === 0 ? this.own : [...this.own, ...this.sources.flatMap((source) => source.tools())];
  }

  /** Returns all tools with whether they are on, those that are off too. */
  all(): { tool: Tool; isOn: boolean }[] {
    return this.everyTool.map((tool) => ({ tool, isOn: !this.isOff(tool.name) }));
  }

  /** Resolves when the tools from elsewhere are there. */
  async ready(signal: AbortSignal): Promise<void> {
    await Promise.all(this.sources.map((source) => source.ready(signal)));
  }

  /** Returns these tools and those of the sources behind them, without those that are off whenever they are asked for. */
  with(sources: readonly ToolSource[], isOff: (name: string) => boolean): ToolRegistry {
    return new ToolRegistry(this.own, [...this.sources, ...sources], isOff);
  }

  /** Returns some of our own, also without those that are off then. */
  ofOwn(isWanted: (tool: Tool) => boolean): ToolRegistry {
    return new ToolRegistry(this.own.filter(isWanted), [], this.isOff);
  }

  get(name: string): Tool | undefined {
    return this.tools.find((tool) => tool.name === name);
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

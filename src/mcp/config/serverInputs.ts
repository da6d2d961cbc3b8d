import { z } from 'zod';
import type { SecretStore } from '../auth/storedSignIn';
import { changedParts, definitionOf, hashOfDefinition, type ChangedPart, type Definition } from './definition';
import type { InputConfig, ServerConfig } from './serverConfig';

/** Value that a person is asked for. */
export interface InputQuestion {
  server: ServerConfig;
  input: InputConfig;
  /** Differences from the definition that the value was last given for; null if it never was. */
  changes: readonly ChangedPart[] | null;
}

const definitionSchema: z.ZodType<Definition> = z.object({
  folder: z.string().nullable(),
  reach: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('stdio'),
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
      cwd: z.string().nullable(),
    }),
    z.object({
      kind: z.literal('http'),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      oauth: z
        .object({
          clientId: z.string().exactOptional(),
          clientSecret: z.string().exactOptional(),
          callbackPort: z.number().exactOptional(),
        })
        .exactOptional(),
    }),
  ]),
});

/**
 * Asks a person for the values that servers need, once for each definition of a server, and keeps them as secrets. A server of the same
 * name with another command, address, header or variable gets none of them before a person has agreed.
 */
export class ServerInputs {
  /** Inputs as files describe them. One that none describes is asked for as a secret. */
  known: readonly InputConfig[] = [];

  constructor(
    private readonly secrets: SecretStore,
    private readonly folder: () => string | null,
    /** Resolves with undefined if the person gives no value. */
    private readonly ask: (question: InputQuestion) => Promise<string | undefined>,
  ) {}

  /** Resolves with a value; null if the person gives none. */
  async value(id: string, server: ServerConfig): Promise<string | null> {
    const definition = definitionOf(server, this.folder());
    const key = keyOf(id, server.name, definition);
    const stored = await this.secrets.get(key);
    if (stored !== undefined) return stored;
    const last = await this.lastDefinition(id, server.name);
    const changes = last === null ? null : changedParts(last, definition);
    const given = await this.ask({ server, input: this.describe(id), changes });
    if (given === undefined) return null;
    await this.secrets.store(key, given);
    await this.secrets.store(lastKey(id, server.name), JSON.stringify(definition));
    // Values that an older version stored by name only are sent to no server.
    await this.secrets.delete(oldKey(id, server.name));
    return given;
  }

  /** Forgets what a server was given, so that it is asked for again. */
  async forget(ids: readonly string[], server: ServerConfig): Promise<void> {
    for (const id of ids) await this.secrets.delete(keyOf(id, server.name, definitionOf(server, this.folder())));
  }

  private describe(id: string): InputConfig {
    return this.known.find((input) => input.id === id) ?? { id, description: id, isSecret: true, options: [] };
  }

  private async lastDefinition(id: string, name: string): Promise<Definition | null> {
    const stored = await this.secrets.get(lastKey(id, name));
    if (stored === undefined) return null;
    try {
      return definitionSchema.parse(JSON.parse(stored));
    } catch {
      // It only says what has changed; the value is asked for either way.
      return null;
    }
  }
}

function keyOf(id: string, name: string, definition: Definition): string {
  return `mcp.input:${JSON.stringify([name, id, hashOfDefinition(definition)])}`;
}

function lastKey(id: string, name: string): string {
  return `mcp.definition:${JSON.stringify([name, id])}`;
}

function oldKey(id: string, name: string): string {
  return `mcp.input:${JSON.stringify([name, id])}`;
}

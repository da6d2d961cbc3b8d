import { z } from 'zod';
import type { SecretStore } from '../auth/storedSignIn';
import { changedParts, createDefinition, hashOfDefinition, type ChangedPart, type Definition } from './definition';
import type { InputConfig, ServerConfig } from './serverConfig';

export interface InputQuestion {
  server: ServerConfig;
  input: InputConfig;
  /** Changes since the definition for which the user last entered the value. Null if the user never entered it. */
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
      sandbox: z.literal(true).exactOptional(),
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
 * Asks the user for input values, once for each server definition, and stores them as secrets. If a server with the same
 * name changes, it gets a value only after the user confirms it again.
 */
export class ServerInputs {
  /** Inputs as configured. An unknown input is requested as a secret. */
  known: readonly InputConfig[] = [];

  constructor(
    private readonly secrets: SecretStore,
    private readonly folder: () => string | null,
    /** Asks the user for a value. Resolves with undefined if the user enters none. */
    private readonly ask: (question: InputQuestion) => Promise<string | undefined>,
  ) {}

  /** Resolves with the value of an input, or with null if the user enters none. */
  async value(id: string, server: ServerConfig): Promise<string | null> {
    const definition = createDefinition(server, this.folder());
    const key = createKey(id, server.name, definition);
    const stored = await this.secrets.get(key);
    if (stored !== undefined) return stored;
    const last = await this.lastDefinition(id, server.name);
    const changes = last === null ? null : changedParts(last, definition);
    const given = await this.ask({ server, input: this.describe(id), changes });
    if (given === undefined) return null;
    await this.secrets.store(key, given);
    await this.secrets.store(lastKey(id, server.name), JSON.stringify(definition));
    // Never send values that an older version stored by name only.
    await this.secrets.delete(oldKey(id, server.name));
    return given;
  }

  /** Deletes the stored values of a server. The user is then asked for them again. */
  async forget(ids: readonly string[], server: ServerConfig): Promise<void> {
    for (const id of ids) await this.secrets.delete(createKey(id, server.name, createDefinition(server, this.folder())));
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
      // The earlier definition is only used to show changes. The question is asked anyway.
      return null;
    }
  }
}

function createKey(id: string, name: string, definition: Definition): string {
  return `mcp.input:${JSON.stringify([name, id, hashOfDefinition(definition)])}`;
}

function lastKey(id: string, name: string): string {
  return `mcp.definition:${JSON.stringify([name, id])}`;
}

function oldKey(id: string, name: string): string {
  return `mcp.input:${JSON.stringify([name, id])}`;
}

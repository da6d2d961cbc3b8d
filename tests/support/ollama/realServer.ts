import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../vscode/location';

/** A real Ollama server with the tiny models, at the address in `OLLAMA_HOST`. Provides helper requests for tests. */
export class RealServer {
  private constructor(readonly baseUrl: string) {}

  /** Returns undefined if `OLLAMA_HOST` is not set. */
  static named(): RealServer | undefined {
    const host = process.env['OLLAMA_HOST'];
    if (!host) return undefined;
    return new RealServer(/^https?:\/\//.test(host) ? host : `http://${host}`);
  }

  async post(endpoint: string, body: unknown): Promise<unknown> {
    const response = await fetch(this.baseUrl + endpoint, { method: 'POST', body: JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, `${endpoint}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /**
   * Returns the milliseconds until a model with this context window has
   * generated one token. A request that is still running delays the token.
   */
  async timeToAnswer(model: string, window: number): Promise<number> {
    const asked = performance.now();
    await this.post('/api/chat', {
      model,
      stream: false,
      truncate: false,
      shift: false,
      messages: [{ role: 'user', content: 'Hi' }],
      options: { num_predict: 1, num_ctx: window },
    });
    return performance.now() - asked;
  }

  async isLoaded(model: string): Promise<boolean> {
    const { models } = (await (await fetch(`${this.baseUrl}/api/ps`)).json()) as { models: { name: string }[] };
    return models.some(({ name }) => name === model);
  }

  /**
   * Creates `oc-tools` with a template that renders the whole conversation, as templates of real models do. Long conversations then fill
   * the context window.
   */
  async createWholeModel(): Promise<void> {
    const last = await this.template();
    const system =
      '{{ range .Messages }}{{ if eq .Role "system" }}<|im_start|>system\n{{ .Content }}<|im_end|>\n{{ end }}{{ end }}';
    const template = last
      .replace('{{- if .Tools }}{{ end }}', `{{- if .Tools }}{{ end }}${system}`)
      .replace('range slice .Messages $start', 'range .Messages')
      .replaceAll('{{ $line }}<|im_end|>', '{{ .Content }}<|im_end|>');
    assert.ok(template.includes(system) && template.includes('{{ range .Messages }}{{ if eq .Role "user"'));
    await this.post('/api/create', { model: wholeModel, from: 'oc-tools', template, stream: false });
  }

  /** Creates `oc-tools` with a template that omits its calls and their results, so that the model starts over each time. */
  async createRepeatingModel(): Promise<void> {
    const whole = await this.template();
    const template = whole.replaceAll('eq .Role "assistant"', 'eq .Role "x"').replaceAll('eq .Role "tool"', 'eq .Role "y"');
    assert.notEqual(template, whole);
    await this.post('/api/create', { model: repeatingModel, from: 'oc-tools', template, stream: false });
  }

  /** Creates `oc-tools` with a template that does not mention tools, so that the server leaves calls in the text. */
  async createPrintingModel(): Promise<void> {
    const whole = await this.template();
    const template = whole
      .replace('{{- if .Tools }}{{ end }}', '')
      .replace(/\{\{ if \.ToolCalls \}\}[^]*?\{\{ else \}\}\{\{ \.Content \}\}\{\{ end \}\}/, '{{ .Content }}');
    assert.ok(template !== whole && !/\.Tool/.test(template));
    await this.post('/api/create', { model: printingModel, from: 'oc-tools', template, stream: false });
  }

  private async template(): Promise<string> {
    const modelfile = path.join(repository, 'tests/support/ollama/modelfiles/oc-tools.Modelfile');
    return /TEMPLATE """([^]*?)"""/.exec(await readFile(modelfile, 'utf8'))?.[1] ?? '';
  }

  async delete(model: string): Promise<void> {
    await fetch(`${this.baseUrl}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model }) });
  }
}

export const repeatingModel = 'oc-repeats:latest';
export const wholeModel = 'oc-whole:latest';
export const printingModel = 'oc-prints:latest';

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../vscode/location';

/** A real Ollama that has the tiny models, as `OLLAMA_HOST` names it: what tests ask of it besides what they test. */
export class RealServer {
  private constructor(readonly baseUrl: string) {}

  /** Undefined where no server is named. */
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
   * Milliseconds until a model that is loaded with this window has written one token; a request still running on it would come
   * first.
   */
  async timeToAnswer(model: string, window: number): Promise<number> {
    const asked = performance.now();
    await this.post('/api/chat', {
      ...{ model, stream: false, truncate: false, shift: false },
      messages: [{ role: 'user', content: 'Hi' }],
      options: { num_predict: 1, num_ctx: window },
    });
    return performance.now() - asked;
  }

  async isLoaded(model: string): Promise<boolean> {
    const { models } = (await (await fetch(`${this.baseUrl}/api/ps`)).json()) as { models: { name: string }[] };
    return models.some(({ name }) => name === model);
  }

  /** `oc-tools` with a template that writes the whole conversation, as those of real models do: what is sent fills the window. */
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

  /** `oc-tools` with a template that shows it neither its calls nor their results, so that it begins anew each time. */
  async createRepeatingModel(): Promise<void> {
    const whole = await this.template();
    const template = whole.replaceAll('eq .Role "assistant"', 'eq .Role "x"').replaceAll('eq .Role "tool"', 'eq .Role "y"');
    assert.notEqual(template, whole);
    await this.post('/api/create', { model: repeatingModel, from: 'oc-tools', template, stream: false });
  }

  /** `oc-tools` with a template that does not mention tools, so that the server leaves its calls in the text. */
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

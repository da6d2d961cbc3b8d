import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import Ajv from 'ajv/dist/2020';
import { OpenAPIClientAxios, type OpenAPIClient } from 'openapi-client-axios';
import { until } from '../../support/until';
import { ApiBench } from './support';

type Document = ConstructorParameters<typeof OpenAPIClientAxios>[0]['definition'] & object;
type Schema = Record<string, unknown>;
type Operations = Record<
  string,
  { operationId: string; responses: Record<string, { content: Record<string, { schema: Schema }> }> }
>;

/** Calls an operation by its name in the document, and validates the response against the document's schema. */
class DocumentedClient {
  readonly used = new Set<string>();
  private readonly operations = new Map<string, Operations[string]>();
  private readonly schemas = new Ajv({ strict: false });

  private constructor(
    private readonly client: OpenAPIClient,
    document: { paths: Record<string, Operations>; components: Schema },
  ) {
    this.schemas.addSchema({ components: document.components }, 'document');
    for (const operations of Object.values(document.paths))
      for (const one of Object.values(operations)) this.operations.set(one.operationId, one);
  }

  static async of(bench: ApiBench): Promise<DocumentedClient> {
    const document = await bench.ok('GET', '/openapi.json');
    const made = new OpenAPIClientAxios({
      definition: document as unknown as Document & object,
      axiosConfigDefaults: { baseURL: bench.server.url, headers: bench.headers(), validateStatus: () => true },
    });
    return new DocumentedClient(await made.init(), document as never);
  }

  get names(): string[] {
    return [...this.operations.keys()].toSorted();
  }

  async call(
    name: string,
    params: Record<string, unknown> | null = null,
    body?: unknown,
  ): Promise<{ status: number; data: never }> {
    const operation = this.operations.get(name);
    const method = this.client[name];
    assert.ok(operation && method, `no operation ${name}`);
    this.used.add(name);
    const answered = await method(params as never, body);
    const status = answered.status;
    const data = answered.data as unknown;
    const answer = operation.responses[String(status)] ?? operation.responses['default'];
    const content = answer?.content['application/json'];
    if (content !== undefined) this.check(content.schema, data, `${name} ${status}`);
    return { status, data: data as never };
  }

  private check(schema: Schema, data: unknown, where: string): void {
    const resolved = typeof schema.$ref === 'string' ? { $ref: `document${schema.$ref}` } : schema;
    const isValid = this.schemas.validate(resolved, data);
    assert.ok(isValid, `${where}: ${this.schemas.errorsText()} in ${JSON.stringify(data)}`);
  }
}

describe('the local API, by a client made of its document', () => {
  let bench: ApiBench;
  let api: DocumentedClient;
  beforeEach(async () => {
    bench = await ApiBench.start();
    api = await DocumentedClient.of(bench);
  });
  afterEach(() => bench.stop());

  const done = async (name: string, params: Record<string, unknown> | null, body?: unknown): Promise<never> => {
    const { status, data } = await api.call(name, params, body);
    assert.equal(status, 200, `${name}: ${JSON.stringify(data)}`);
    return data;
  };

  it('has every operation, and answers each as it is written there', async () => {
    const { agent } = bench;
    await writeFile(agent.file('main.py'), 'old\n');
    agent.double.script.push('Hello there.');
    const { id } = (await done('postDialogs', null, { title: 'Mine' })) as { id: string };
    const dialog = { dialog: id };
    assert.equal(((await done('getDialogs', null)) as { dialogs: unknown[] }).dialogs.length, 1);
    await done('postDialogsMessages', dialog, { content: 'Say hello', mode: 'ask' });
    await agent.over(id);
    const { events } = (await done('getDialogsHistory', { ...dialog, limit: 2 })) as { events: { type: string }[] };
    assert.deepEqual(
      events.map(({ type }) => type),
      ['chat', 'done'],
    );
    const { checkpoints } = (await done('getDialogsCheckpoints', dialog)) as { checkpoints: { commit_id: string }[] };
    await writeFile(agent.file('main.py'), 'new\n');
    await done('getDialogsSession', dialog);
    await done('postDialogsRestore', dialog, { checkpoint_id: checkpoints[1]?.commit_id });
    await done('postDialogsApprove', dialog, { message: 'Done' });
    await done('postDialogsReset', dialog);
    agent.double.script.push('And more.');
    await done('postDialogsContinue', dialog, {});
    await agent.over(id);
    await done('postDialogsStop', dialog);
    const imported = (await done('postImport', null, { paths: [agent.file('main.py')] })) as { unknown_files: string[] };
    assert.equal(imported.unknown_files.length, 1);
    assert.match(await done('getDialogExport', { ...dialog, format: 'markdown' }), /Hello there/);

    agent.double.script.push(
      '<tool_call>{"name": "run_terminal_command", "arguments": {"command": "touch made.txt"}}</tool_call>',
      'Not done. [TASK_COMPLETE]',
    );
    const stream = await bench.follow(id, '0');
    const { told } = stream;
    await done('postDialogsMessages', dialog, { content: 'Make it', mode: 'agent' });
    await until(() => told.some(({ type }) => type === 'approval'));
    const item = told.find(({ type }) => type === 'approval')?.data.approval;
    await done('postDialogsApprovals', { ...dialog, item }, { approve: false });
    await agent.over(id);
    assert.equal((await api.call('postDialogsQuestions', { ...dialog, item: 'gone' }, { answer: 'x' })).status, 404);

    stream.close();
    api.used.add('getDialogEvents');
    assert.deepEqual([...api.used].toSorted(), api.names);
  });

  it('is told of each failure in the form that stands there', async () => {
    const { id } = (await done('postDialogs', null, {})) as { id: string };
    for (const [name, params, body, status] of [
      ['getDialogsHistory', { dialog: 'nobody' }, undefined, 404],
      ['getDialogsHistory', { dialog: id, limit: 0 }, undefined, 400],
      ['postDialogsMessages', { dialog: id }, { content: '' }, 400],
      ['postDialogsRestore', { dialog: id }, { checkpoint_id: 'nothing' }, 404],
      ['postDialogsRestore', { dialog: id }, { checkpoint_id: 5 }, 400],
    ] as const)
      assert.equal((await api.call(name, params, body)).status, status, name);
  });
});

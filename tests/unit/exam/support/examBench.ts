import { examTasks } from '../../../../src/agent/exam/tasks';
import { type ExamStore, type ModelExams } from '../../../../src/agent/exam/modelExams';
import { Settings } from '../../../../src/config/settings';
import { createExams } from '../../../../src/core/createExams';
import { ModelManager } from '../../../../src/services/model/catalogue/modelManager';
import { OllamaClient } from '../../../../src/services/model/client/ollamaClient';
import type { ExamTaskName, ModelExam } from '../../../../src/types/exam';
import { ServerArbiter } from '../../../../src/services/model/serverArbiter';
import { systemClock, type Clock } from '../../../../src/utils/clock';
import { DisposableStore } from '../../../../src/utils/disposable';
import { silentLogger } from '../../../../src/utils/logger';
import { OllamaDouble } from '../../../support/ollama/double';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import { searchWorkerPath } from '../../agent/support/agentBench';
import { patientClock } from '../../../support/patientClock';

/** Clock that does not wait before requests are retried. */
const hurried: Clock = { now: () => systemClock.now(), sleep: () => Promise.resolve() };

export interface ExamOptions {
  clock?: Clock;
  /** Tasks to run. Defaults to all tasks. */
  only?: readonly ExamTaskName[];
}

/** In-memory store for exams. */
export class ExamMemory implements ExamStore {
  readonly kept = new Map<string, ModelExam>();

  readExam(server: string, digest: string): Promise<ModelExam | undefined> {
    return Promise.resolve(this.kept.get(`${server} ${digest}`));
  }

  keepExam(server: string, digest: string, exam: ModelExam): Promise<void> {
    this.kept.set(`${server} ${digest}`, structuredClone(exam));
    return Promise.resolve();
  }
}

/** Exams with a real client and real files. Only the Ollama server is a double. */
export class ExamBench {
  readonly store = new ExamMemory();

  private constructor(
    readonly double: OllamaDouble,
    readonly models: ModelManager,
    private readonly client: OllamaClient,
    private readonly lifetime: DisposableStore,
    private readonly settings: Settings,
  ) {}

  /** `baseUrl`: address of a real server to use instead of the double. */
  static async start(models: readonly ModelSpec[], baseUrl?: string): Promise<ExamBench> {
    const double = await OllamaDouble.start({ models });
    const url = baseUrl ?? double.url;
    const environment = { clock: hurried, logger: silentLogger };
    const client = new OllamaClient({ baseUrl: () => url, token: async () => undefined, ...environment });
    const store = {
      load: async () => ({ models: [], fetchedAt: null }),
      save: async () => {},
      setEnabled: async () => {},
      setThink: async () => {},
    };
    const manager = new ModelManager(client, store, systemClock, silentLogger);
    const settings = new Settings({ get: (key) => (key === 'baseUrl' ? url : undefined) }, ({ problem }) => {
      throw new Error(problem);
    });
    return new ExamBench(double, manager, client, new DisposableStore(), settings);
  }

  exams({ clock = patientClock, only }: ExamOptions = {}): ModelExams {
    const { client, models, settings, store } = this;
    const workspace = { folders: () => [], isTrusted: () => false, commandShell: () => 'bash on Linux' };
    const windows = { readWindow: async () => undefined, keepWindow: async () => {}, readOwnWindow: async () => undefined };
    return createExams(
      { exams: store, ...windows },
      {
        client,
        models,
        arbiter: new ServerArbiter(),
        settings,
        workspace,
        clock,
        logger: silentLogger,
        workers: { search: searchWorkerPath },
        ripgrep: { locate: async () => undefined },
        askForCloud: async () => true,
      },
      this.lifetime,
      examTasks(process.platform === 'win32').filter(({ name }) => only?.includes(name) ?? true),
    );
  }

  /** Runs an exam and returns its result. */
  async examine(model: string, options?: ExamOptions): Promise<ModelExam> {
    const { state, message } = await this.exams(options).run(model);
    const { exam } = await this.models.get(model);
    if (exam === undefined || state !== 'done') throw new Error(`The exam is ${state}: ${message ?? ''}`);
    return exam;
  }

  async stop(): Promise<void> {
    await this.lifetime.dispose();
    this.client.dispose();
    this.models.dispose();
    await this.double.close();
  }
}

import type { ExamProgress } from '../../protocol/requests/examSchema';
import { examTaskNames, examVersion, type ExamTaskResult, type ModelExam } from '../../types/exam';
import type { ModelInfo } from '../../types/model';
import { modelKey } from '../../types/modelNames';
import { Emitter } from '../../utils/emitter';
import { AppError, isCancelled, messageOf } from '../../utils/errors';
import { t } from '../../utils/l10n';
import type { Disposable } from '../../utils/disposable';
import { examRunning } from './examError';
import type { ExamTask } from './examTask';
import { runTask, type TaskRunPorts } from './taskRun';

/** Exam results by server address and model digest. */
export interface ExamStore {
  readExam(server: string, digest: string): Promise<ModelExam | undefined>;
  keepExam(server: string, digest: string, exam: ModelExam): Promise<void>;
}

export interface ExamPorts extends TaskRunPorts {
  store: ExamStore;
  tasks: readonly ExamTask[];
  /** Identity of the server (see `serverKey`). */
  server: () => string;
}

/** Runs exams, one at a time. Stores the result of each task, so that a cancelled or failed exam can continue later. */
export class ModelExams implements Disposable {
  private readonly emitter: Emitter<ExamProgress>;
  private running: { model: string; stopping: AbortController } | null = null;
  private last: ExamProgress | null = null;

  constructor(private readonly ports: ExamPorts) {
    this.emitter = new Emitter((error) => ports.logger.error('A listener of the model exam failed', error));
  }

  get onDidChange() {
    return this.emitter.event;
  }

  /** Returns the progress of the last exam in this window, or null if there was none. */
  get progress(): ExamProgress | null {
    return this.last;
  }

  /**
   * Runs the remaining tasks of an exam, or all tasks if the exam is complete. Resolves
   * with the last state, even after a failure. Throws `ExamError` while another exam runs.
   */
  run(name: string): Promise<ExamProgress> {
    if (this.running !== null) throw examRunning(this.running.model);
    const stopping = new AbortController();
    this.running = { model: name, stopping };
    return this.examine(name, stopping.signal).finally(() => (this.running = null));
  }

  /** Cancels the current exam. The results of completed tasks are kept. */
  cancel(): void {
    this.running?.stopping.abort();
  }

  dispose(): void {
    this.cancel();
    this.emitter.dispose();
  }

  private async examine(name: string, signal: AbortSignal): Promise<ExamProgress> {
    const { ports } = this;
    let model: ModelInfo | null = null;
    let results: ExamTaskResult[] = [];
    const report = (state: ExamProgress['state'], message?: string): ExamProgress => {
      const at = { model: model?.name ?? name, state, done: results.length, of: ports.tasks.length };
      this.last = { ...at, ...(message !== undefined && { message }) };
      this.emitter.fire(this.last);
      return this.last;
    };
    try {
      model = await ports.models.get(name, signal);
      const server = ports.server();
      const digest = modelKey(model);
      const window = await ports.windows.tokensFor(model);
      const kept = await ports.store.readExam(server, digest);
      if (kept !== undefined && kept.finishedAt === null && kept.version === examVersion) results = [...kept.tasks];
      report('running');
      for (const task of ports.tasks) {
        if (results.some((result) => result.task === task.name)) continue;
        results.push(await this.runExamTask(task, model, results, signal));
        const isComplete = examTaskNames.every((one) => results.some((result) => result.task === one));
        const finishedAt = isComplete ? ports.clock.now() : null;
        await ports.store.keepExam(server, digest, { version: examVersion, tasks: results, window, finishedAt });
        if (!isComplete) report('running');
      }
      return report('done');
    } catch (error) {
      if (isCancelled(error)) return report('cancelled');
      ports.logger.warn(`The exam of ${name} failed: ${messageOf(error)}`);
      const unknown = t('The model exam could not run. See the log for details.');
      return report('failed', error instanceof AppError ? error.userMessage : unknown);
    }
  }

  /** Runs a task. If the model makes no call in the first task, runs it again with the tools described in the prompt. */
  private async runExamTask(
    task: ExamTask,
    model: ModelInfo,
    before: readonly ExamTaskResult[],
    signal: AbortSignal,
  ): Promise<ExamTaskResult> {
    const form = before.at(-1)?.form ?? (model.capabilities.tools ? 'native' : 'printed');
    const result = await runTask(task, model, form, this.ports, signal);
    if (before.length > 0 || form === 'printed' || hasCalls(result)) return result;
    const printed = await runTask(task, model, 'printed', this.ports, signal);
    return hasCalls(printed) ? printed : result;
  }
}

function hasCalls({ calls }: ExamTaskResult): boolean {
  return calls.native + calls.printed + calls.repaired > 0;
}

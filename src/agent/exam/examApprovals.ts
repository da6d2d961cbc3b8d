import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ApprovalAnswer } from '../approvals/approvalManager';
import { QuestionManager } from '../approvals/questionManager';
import type { ApprovalQuestion } from '../kernel/approvalQuestion';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';
import type { ExamTask } from './examTask';

/**
 * Answers the questions of a task without the user. Approves only the command of the task, in its
 * folder and with its unchanged script. Denies everything else, such as files outside the folder.
 */
export class ExamApprovals {
  readonly questions = new QuestionManager();

  constructor(
    private readonly task: Pick<ExamTask, 'command' | 'files'>,
    private readonly folder: string,
  ) {}

  async ask(question: ApprovalQuestion & { callId: string }, _run: Run, log: RunLog): Promise<ApprovalAnswer> {
    const { command } = this.task;
    if (question.kind !== 'command' || command === undefined || question.command?.trim() !== command) return 'denied';
    if (question.cwd !== '.' || isInBackground(log, question.callId)) return 'denied';
    return (await this.hasOwnScript(command)) ? 'approved' : 'denied';
  }

  private async hasOwnScript(command: string): Promise<boolean> {
    const script = Object.keys(this.task.files).find((name) => command.endsWith(name));
    if (script === undefined) return false;
    const text = await readFile(path.join(this.folder, script), 'utf8').catch(() => null);
    return text === this.task.files[script];
  }
}

function isInBackground({ entries }: RunLog, callId: string): boolean {
  return !entries.some(
    (entry) => entry.type === 'tool_call' && entry.data.callId === callId && entry.data.input['background'] === undefined,
  );
}

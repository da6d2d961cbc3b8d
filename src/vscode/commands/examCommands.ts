import * as vscode from 'vscode';
import type { ModelExams } from '../../agent/exam/modelExams';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import { examVerdict } from '../../types/examVerdict';
import { examTaskNames, type ModelExam } from '../../types/exam';
import { formatNumber } from '../../types/format';
import { notifyCancellable, shareReporter } from '../notifyProgress';

/** Asks for a model and runs its exam. */
export async function runModelExam(catalog: ModelCatalog, exams: ModelExams): Promise<void> {
  const { models } = await catalog.state();
  const items = models
    .filter(({ enabled, capabilities }) => enabled && capabilities.chat)
    .map(({ name, exam }) => ({ label: name, description: exam === undefined ? '' : examFacts(exam) }));
  const title = vscode.l10n.t('Model to test');
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Select a model') });
  if (picked !== undefined) await examineWithProgress(picked.label, exams);
}

/** Offers the exam of a model in a notification. */
export async function offerExam(model: string, exams: ModelExams): Promise<void> {
  const run = vscode.l10n.t('Run Exam');
  const text = vscode.l10n.t(
    '{0} is new or has changed. Run the model exam to find out in a few minutes how well it works as an agent.',
    model,
  );
  const later = vscode.l10n.t('Not Now');
  if ((await vscode.window.showInformationMessage(text, run, later)) === run) await examineWithProgress(model, exams);
}

/** Runs the exam of a model, shows its progress in a notification, and reports the result. */
export async function examineWithProgress(model: string, exams: ModelExams): Promise<void> {
  const end = await notifyCancellable(vscode.l10n.t('Exam for {0}', model), async (progress, signal) => {
    const report = shareReporter(progress);
    const listener = exams.onDidChange(({ done, of }) =>
      report(done / of, vscode.l10n.t('{0} of {1} tasks', formatNumber(done), formatNumber(of))),
    );
    signal.addEventListener('abort', () => exams.cancel());
    try {
      return await exams.run(model);
    } finally {
      void listener.dispose();
    }
  });
  if (end.state === 'failed') void vscode.window.showErrorMessage(end.message ?? '');
  if (end.state !== 'done') return;
  const show = vscode.l10n.t('Show Result');
  const text = vscode.l10n.t('The exam for {0} is complete.', end.model);
  if ((await vscode.window.showInformationMessage(text, show)) === show)
    await vscode.commands.executeCommand('ollamaCopilot.openSettings');
}

/** Returns the results of an exam for lists of models. */
export function examFacts(exam: ModelExam): string {
  const { calls, edits, done } = examVerdict(exam);
  return exam.finishedAt === null
    ? vscode.l10n.t('{0} of {1} tasks', formatNumber(done), formatNumber(allTasks))
    : vscode.l10n.t('calls {0}, edits {1} of {2}', formatNumber(calls), formatNumber(edits), formatNumber(allTasks));
}

const allTasks = examTaskNames.length;

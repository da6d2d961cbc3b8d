import { approvalQuestion } from './askedQuestion';
import { askForNumber, askYesNo, type AskingTerminal } from './askOnTerminal';
import { sandboxChoices, type SandboxChoice } from './sandboxChoices';

/** Decision of the user. `choice` is present if the sandbox blocked the command and the user did not skip it. */
export interface ApprovalOnTerminal {
  approve: boolean;
  choice?: SandboxChoice;
}

/** Asks for approval. `data` is the data of the approval's entry or event. Without a user, resolves with a denial. */
export async function askApproval(
  terminal: AskingTerminal,
  data: Readonly<Record<string, unknown>>,
): Promise<ApprovalOnTerminal> {
  const question = approvalQuestion(data);
  const choices = sandboxChoices(data);
  if (choices.length === 0) return { approve: await askYesNo(terminal, question) };
  const names = [...choices.map(({ name }) => name), 'Skip'];
  const answers = names.map((name, index) => ({ label: index === 0 ? 'Answers' : '', text: `${index + 1}: ${name}` }));
  const asked = { ...question, facts: [...question.facts, ...answers] };
  const chosen = choices[await askForNumber(terminal, asked, names.length)];
  return chosen === undefined ? { approve: false } : { approve: true, choice: chosen.choice };
}

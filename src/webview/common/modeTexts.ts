import { isMode, type ChatMode } from '../../types/modes';
import { t } from '../translate';

interface ModeTexts {
  name: string;
  /** One-line explanation for the picker. */
  about: string;
  /** Placeholder of the empty message box. */
  placeholder: string;
  /** Example requests for the start page when a folder is open. */
  examples: readonly string[];
  /** Title and effect of the setting that selects the model of the mode. */
  model: readonly [title: string, effect: string];
  temperature: string;
  longestAnswer: string;
  /** Explains what a model without tool support cannot do in this mode. */
  lack: string;
}

const texts: Readonly<Record<ChatMode, () => ModeTexts>> = {
  agent: () => ({
    name: t('Agent'),
    about: t('Reads and edits files, and runs commands that you approve'),
    placeholder: t('Ask a question or describe a task'),
    examples: [
      t('Explain how this project is built and started'),
      t('Find the failing test and fix it'),
      t('Write a README for this project'),
    ],
    model: [t('Model for Agent mode'), t('Used instead of the model that you picked in the chat. The model must support tools.')],
    temperature: t('Temperature in Agent mode'),
    longestAnswer: t('Maximum answer length in Agent mode'),
    lack: t('no tools'),
  }),
  plan: () => ({
    name: t('Plan'),
    about: t('Explores the code, asks questions and writes a plan that you can start'),
    placeholder: t('Describe the task to plan'),
    examples: [
      t('Plan how to add input validation to this project'),
      t('Plan the missing tests of this project'),
      t('Plan how to split the largest file of this project'),
    ],
    model: [t('Model for Plan mode'), t('Used instead of the model that you picked in the chat. The model must support tools.')],
    temperature: t('Temperature in Plan mode'),
    longestAnswer: t('Maximum answer length in Plan mode'),
    lack: t('no tools'),
  }),
  ask: () => ({
    name: t('Ask'),
    about: t('Answers questions without changing files'),
    placeholder: t('Ask a question'),
    examples: [
      t('Explain how this project is built and started'),
      t('Which parts of this project have no tests?'),
      t('Where does this project handle errors?'),
    ],
    model: [t('Model for Ask mode'), t('Used instead of the model that you picked in the chat. Any chat model works.')],
    temperature: t('Temperature in Ask mode'),
    longestAnswer: t('Maximum answer length in Ask mode'),
    lack: t('cannot read files'),
  }),
  edit: () => ({
    name: t('Edit'),
    about: t('Edits only the selection or the attached files'),
    placeholder: t('Attach files or select code, then describe the change'),
    examples: [
      t('Improve the names in this file'),
      t('Add documentation comments to this file'),
      t('Simplify this code without changing its behavior'),
    ],
    model: [t('Model for Edit mode'), t('Used instead of the model that you picked in the chat. The model must support tools.')],
    temperature: t('Temperature in Edit mode'),
    longestAnswer: t('Maximum answer length in Edit mode'),
    lack: t('no tools'),
  }),
};

export function modeTexts(mode: ChatMode): ModeTexts {
  return texts[mode]();
}

/** Returns the display name of a mode. Returns the given name if the mode is unknown. */
export function modeLabel(mode: string): string {
  return isMode(mode) ? modeTexts(mode).name : mode;
}

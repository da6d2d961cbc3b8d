import { isMode, type ChatMode } from '../../types/modes';
import { t } from '../translate';

interface ModeTexts {
  name: string;
  /** Explanation for the picker, in one line. */
  about: string;
  /** Shown in the empty message box. */
  placeholder: string;
  /** Requests that the welcome page offers where a folder is open. */
  examples: readonly string[];
  /** Title of the setting for the mode's model, and what it does. */
  model: readonly [title: string, effect: string];
  temperature: string;
  longestAnswer: string;
  /** Says what a model without tools of its own cannot do in this mode. */
  lack: string;
}

const texts: Readonly<Record<ChatMode, () => ModeTexts>> = {
  agent: () => ({
    name: t('Agent'),
    about: t('Reads and changes files and runs commands that you approve'),
    placeholder: t('Ask or tell…'),
    examples: [
      t('Explain how this project is built and started'),
      t('Find the failing test and fix it'),
      t('Write a README for this project'),
    ],
    model: [t('Model for Agent mode'), t('Same as the model picker in the chat. The model must support tools.')],
    temperature: t('Temperature in Agent mode'),
    longestAnswer: t('Longest answer in Agent mode'),
    lack: t('no tools'),
  }),
  plan: () => ({
    name: t('Plan'),
    about: t('Looks around, asks, and ends in a plan of steps that you can start'),
    placeholder: t('Describe what is to be planned'),
    examples: [
      t('Plan how to add input validation to this project'),
      t('Plan the tests that this project lacks'),
      t('Plan how to split the largest file of this project'),
    ],
    model: [t('Model for Plan mode'), t('Same as the model picker in the chat. The model must support tools.')],
    temperature: t('Temperature in Plan mode'),
    longestAnswer: t('Longest answer in Plan mode'),
    lack: t('no tools'),
  }),
  ask: () => ({
    name: t('Ask'),
    about: t('Answers questions and changes nothing'),
    placeholder: t('Ask a question'),
    examples: [
      t('Explain how this project is built and started'),
      t('Which parts of this project have no tests?'),
      t('Where does this project handle errors?'),
    ],
    model: [t('Model for Ask mode'), t('Same as the model picker in the chat. Any chat model works.')],
    temperature: t('Temperature in Ask mode'),
    longestAnswer: t('Longest answer in Ask mode'),
    lack: t('cannot look at files'),
  }),
  edit: () => ({
    name: t('Edit'),
    about: t('Changes the selection or the attached files, and nothing else'),
    placeholder: t('Attach files or select code, and say what to change'),
    examples: [
      t('Give the names in this file better words'),
      t('Add documentation comments to this file'),
      t('Simplify this code without changing what it does'),
    ],
    model: [t('Model for Edit mode'), t('Same as the model picker in the chat. The model must support tools.')],
    temperature: t('Temperature in Edit mode'),
    longestAnswer: t('Longest answer in Edit mode'),
    lack: t('no tools'),
  }),
};

/** Returns the words of a mode, in the person's language. */
export function modeTexts(mode: ChatMode): ModeTexts {
  return texts[mode]();
}

/** Returns the name of a mode; of one that this build does not know, its own. */
export function modeName(mode: string): string {
  return isMode(mode) ? modeTexts(mode).name : mode;
}

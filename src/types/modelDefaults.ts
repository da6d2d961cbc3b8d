import { examVerdict, type ExamVerdict } from './examVerdict';
import type { ModelInfo } from './model';

/**
 * Formats of tool calls. `auto`: as determined by the exam. `native`: tools in the request. `prompt`: tools in the prompt.
 * `schema`: tools in the prompt, and invalid calls are retried with a JSON schema.
 */
export const toolCallChoices = ['auto', 'native', 'prompt', 'schema'] as const;
export type ToolCallChoice = (typeof toolCallChoices)[number];

export interface DefaultChoices {
  toolCalls: ToolCallChoice;
  /** True if exams can change defaults. */
  usesExam: boolean;
  /** True if requests only declare the most important tools, and the model loads the others. */
  loadsTools: boolean;
}

/** Settings for working with a model. */
export interface ModelDefaults {
  /** True if the prompt describes the tools and the model writes calls as text. */
  isPrinted: boolean;
  /** True if a call that is empty, unreadable or shown as an example is immediately retried with a JSON schema. */
  isBySchema: boolean;
  /** Edit tool that is offered last. Null if there is none. */
  weakEdit: ExamVerdict['weakEdit'];
  /** True if optional tools are omitted. */
  hasFewTools: boolean;
  /** True if requests only declare the most important tools, and the model loads the others. */
  isCompact: boolean;
}

/** Defaults that an exam can change. `warning`: Agent mode shows a warning about the model. */
export const examChangeNames = ['printed', 'schema', 'patchLast', 'replaceLast', 'fewTools', 'allTools', 'warning'] as const;
export type ExamChange = (typeof examChangeNames)[number];

type ExaminedModel = Pick<ModelInfo, 'capabilities' | 'exam'>;

/**
 * Returns the settings for working with a model. A choice by the user takes precedence
 * over the exam. An incomplete exam is ignored.
 */
export function modelDefaults(
  { capabilities, exam }: ExaminedModel,
  { toolCalls, usesExam, loadsTools }: DefaultChoices,
): ModelDefaults {
  const verdict = usesExam && exam !== undefined && exam.finishedAt !== null ? examVerdict(exam) : null;
  const isAuto = toolCalls === 'auto';
  return {
    isPrinted: !capabilities.tools || (isAuto ? verdict?.form === 'printed' : toolCalls !== 'native'),
    isBySchema: isAuto ? verdict?.needsRepair === true : toolCalls === 'schema',
    weakEdit: verdict?.weakEdit ?? null,
    hasFewTools: verdict?.isFit === false,
    isCompact: loadsTools && verdict?.canLoadTools !== false,
  };
}

/** Returns the defaults that the exam of a model has changed. */
export function examChanges(model: ExaminedModel, choices: DefaultChoices): ExamChange[] {
  const usual = modelDefaults(model, { ...choices, usesExam: false });
  const { isPrinted, isBySchema, weakEdit, hasFewTools, isCompact } = modelDefaults(model, choices);
  const changes: [ExamChange, boolean][] = [
    ['printed', isPrinted !== usual.isPrinted],
    ['schema', isBySchema !== usual.isBySchema],
    ['patchLast', weakEdit === 'apply_patch'],
    ['replaceLast', weakEdit === 'replace_in_file'],
    ['fewTools', hasFewTools],
    ['allTools', isCompact !== usual.isCompact],
    ['warning', hasFewTools],
  ];
  return changes.filter(([, isChanged]) => isChanged).map(([change]) => change);
}

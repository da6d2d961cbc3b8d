import { examVerdict, type ExamVerdict } from './examVerdict';
import type { ModelInfo } from './model';

/** Forms of tool calls: as the exam found, tools in the request, tools in the prompt, or tools in the prompt with invalid calls retried by a JSON schema. */
export const toolCallChoices = ['auto', 'native', 'prompt', 'schema'] as const;
export type ToolCallChoice = (typeof toolCallChoices)[number];

export interface DefaultChoices {
  toolCalls: ToolCallChoice;
  /** True if exams may change defaults. */
  usesExam: boolean;
  /** True if requests declare only the most important tools, and the model loads others. */
  loadsTools: boolean;
}

/** Ways to work with a model. */
export interface ModelDefaults {
  /** True if the model gets its tools in the prompt and writes calls as text. */
  isPrinted: boolean;
  /** True if a call that is empty, shown as an example or unreadable is requested by a schema at once. */
  isBySchema: boolean;
  /** Edit tool that is offered last; null for none. */
  weakEdit: ExamVerdict['weakEdit'];
  /** True if optional tools are left out. */
  hasFewTools: boolean;
  /** True if requests declare only the most important tools, and the model loads others. */
  isCompact: boolean;
}

/** Defaults that an exam can change. `warning`: Agent mode warns about the model. */
export const examChangeNames = ['printed', 'schema', 'patchLast', 'replaceLast', 'fewTools', 'allTools', 'warning'] as const;
export type ExamChange = (typeof examChangeNames)[number];

type ExaminedModel = Pick<ModelInfo, 'capabilities' | 'exam'>;

/** Returns the ways to work with a model. A choice of the user goes before the exam, an incomplete exam does not count. */
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

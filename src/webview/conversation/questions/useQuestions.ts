import { inject, type InjectionKey } from 'vue';

/** The way of an answer to whoever asked. */
export interface QuestionActions {
  /** An empty answer leaves it to the agent. Resolves to whether it arrived. */
  readonly answer: (questionId: string, answer: string) => Promise<boolean>;
}

export const questionsKey: InjectionKey<QuestionActions> = Symbol('questions');

export function useQuestions(): QuestionActions {
  return inject(questionsKey, { answer: async () => Promise.resolve(false) });
}

import { inject, type InjectionKey, type Ref } from 'vue';
import type { Host } from '../../common/useHost';

export interface QuestionActions {
  /** Resolves to true if the answer arrived. An empty answer lets the agent decide. */
  readonly answer: (questionId: string, answer: string) => Promise<boolean>;
}

export const questionsKey: InjectionKey<QuestionActions> = Symbol('questions');

export function useQuestions(): QuestionActions {
  return inject(questionsKey, { answer: async () => Promise.resolve(false) });
}

/** Answers the questions of the shown session. */
export function createQuestions(host: Host, sessionId: Readonly<Ref<string | null>>): QuestionActions {
  return {
    answer: async (questionId, answer) => {
      const id = sessionId.value;
      return id !== null && (await host.attempt(host.api.answerQuestion({ sessionId: id, questionId, answer }))) !== undefined;
    },
  };
}

import { inject, type InjectionKey, type Ref } from 'vue';
import type { Question, Timeline } from '../../../protocol/timeline';
import type { Host } from '../../common/useHost';

export interface QuestionActions {
  /** Resolves to true if the extension received the reply. With an empty reply, the agent decides. */
  readonly answer: (questionId: string, answer: string) => Promise<boolean>;
}

export const questionsKey: InjectionKey<QuestionActions> = Symbol('questions');

export function useQuestions(): QuestionActions {
  return inject(questionsKey, { answer: async () => Promise.resolve(false) });
}

/** Returns the question that the next message replies to. This is the only pending question, if it accepts free text. */
export function questionToAnswer({ turns }: Timeline): Question | null {
  const blocks = turns.at(-1)?.blocks ?? [];
  const [question, ...others] = blocks.filter(
    (block): block is Question => block.kind === 'question' && block.state === 'waiting',
  );
  return question !== undefined && others.length === 0 && question.fields === undefined ? question : null;
}

/** Sends replies to the questions of the shown session. */
export function createQuestions(host: Host, sessionId: Readonly<Ref<string | null>>): QuestionActions {
  return {
    answer: async (questionId, answer) => {
      const id = sessionId.value;
      return id !== null && (await host.attempt(host.api.answerQuestion({ sessionId: id, questionId, answer }))) !== undefined;
    },
  };
}

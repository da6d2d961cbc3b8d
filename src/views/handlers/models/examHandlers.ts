import type { ModelExams } from '../../../agent/exam/modelExams';
import type { HostApi } from '../../../protocol/hostApi';
import { noResult } from '../../noResult';

export function examHandlers(exams: Pick<ModelExams, 'run' | 'cancel'>): Pick<HostApi, 'startExam' | 'cancelExam'> {
  return {
    // An event reports the end of the exam.
    startExam: noResult(({ name }) => void exams.run(name)),
    cancelExam: noResult(() => exams.cancel()),
  };
}

import { examVersion, type ModelExam } from '../../../types/exam';
import { isRecord, parsedRecord } from '../../../utils/json';
import type { Connection } from '../sqlite/connection';
import { metaValue, metaValues, setMeta } from '../sqlite/meta';

/** Stores the exams of models by server and digest. Every method throws `StorageError`. */
export class ExamRepository {
  constructor(private readonly connection: Connection) {}

  /** Reads the exam of a model. Returns undefined if it is missing, unreadable or of another version. */
  readExam(server: string, digest: string): Promise<ModelExam | undefined> {
    return this.connection.read(() => examFrom(metaValue(this.connection, examKey(server, digest))));
  }

  async keepExam(server: string, digest: string, exam: ModelExam): Promise<void> {
    await this.connection.write(() => setMeta(this.connection, examKey(server, digest), JSON.stringify(exam)));
  }

  /** Reads all exams of a server by digest. */
  listExams(server: string): Promise<Map<string, ModelExam>> {
    return this.connection.read(() => {
      const texts = metaValues(this.connection, examKey(server, ''));
      const exams = [...texts].map(([digest, text]) => [digest, examFrom(text)] as const);
      return new Map(exams.filter((one): one is readonly [string, ModelExam] => one[1] !== undefined));
    });
  }

  /** Returns true if an exam of the model was offered to the user. */
  wasOffered(server: string, digest: string): Promise<boolean> {
    return this.connection.read(() => metaValue(this.connection, offerKey(server, digest)) !== undefined);
  }

  async noteOffer(server: string, digest: string): Promise<void> {
    await this.connection.write(() => setMeta(this.connection, offerKey(server, digest), 'offered'));
  }
}

function examKey(server: string, digest: string): string {
  return `model_exam:${server} ${digest}`;
}

function offerKey(server: string, digest: string): string {
  return `model_exam_offer:${server} ${digest}`;
}

function examFrom(text: string | undefined): ModelExam | undefined {
  const read = parsedRecord(text);
  if (read?.['version'] !== examVersion || typeof read['window'] !== 'number') return undefined;
  const { tasks } = read;
  const isRight = Array.isArray(tasks) && tasks.every((task) => isRecord(task) && Array.isArray(task['faults']));
  // The product wrote the text, so the other properties are as this version writes them.
  return isRight ? (read as unknown as ModelExam) : undefined;
}

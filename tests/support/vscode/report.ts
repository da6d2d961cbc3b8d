import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** A file to which the extension host writes its test report, because its console output is not visible. */
export class Report {
  private shown = 0;

  constructor(readonly file: string) {
    writeFileSync(file, '');
  }

  /** Prints the report as it grows, until `finished` settles. Returns the value of `finished`. */
  async follow<T>(finished: Promise<T>): Promise<T> {
    const timer = setInterval(() => void this.printNew(), 300);
    try {
      return await finished;
    } finally {
      clearInterval(timer);
      await this.printNew();
    }
  }

  private async printNew(): Promise<void> {
    const text = await readFile(this.file, 'utf8');
    const news = text.slice(this.shown);
    this.shown = text.length;
    if (news) process.stdout.write(news);
  }
}

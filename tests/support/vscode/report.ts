import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** A file that the extension host writes its test report to, since what it says on its console reaches nobody. */
export class Report {
  private shown = 0;

  constructor(readonly file: string) {
    writeFileSync(file, '');
  }

  /** Prints the report as it grows until `finished` settles, whose value it answers. */
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

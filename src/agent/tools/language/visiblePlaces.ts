import { PathError } from '../../../services/files/pathError';
import { holdsKey } from '../../../utils/sensitivity/keyShapes';
import type { FileAccess } from '../../approvals/fileAccess';
import type { CodePlace, LanguagePort } from '../../kernel/languagePort';
import { cutHead } from '../../../types/cutText';

/** Place that may be shown to the model. */
export interface VisiblePlace extends CodePlace {
  /** Path in the form that the model uses. */
  shown: string;
}

const maxText = 200;

/**
 * Filters out places in files that require approval, such as ignored or secret files
 * and files outside the workspace. The result does not reveal their number.
 */
export class VisiblePlaces {
  private readonly shownOf = new Map<string, string | null>();

  constructor(
    private readonly access: Pick<FileAccess, 'forReading'>,
    private readonly language: Pick<LanguagePort, 'text'>,
    private readonly sessionId: string,
  ) {}

  /** Returns the visible places without duplicates, sorted by path and line. `own` is a file that was already approved. */
  async of<T extends CodePlace>(places: readonly T[], own?: { real: string; shown: string }): Promise<(T & VisiblePlace)[]> {
    const seen = new Map<string, T & VisiblePlace>();
    if (own !== undefined) this.shownOf.set(own.real, own.shown);
    for (const place of places) {
      const shown = await this.shown(place.file);
      const key = `${shown}:${place.line}:${place.column}`;
      if (shown !== null && !seen.has(key)) seen.set(key, { ...place, shown });
    }
    return [...seen.values()].sort((a, b) => (a.shown === b.shown ? a.line - b.line : a.shown < b.shown ? -1 : 1));
  }

  /** Formats a place as its path, line number and text. */
  async line({ file, shown, line }: VisiblePlace): Promise<string> {
    const text = (await this.language.text(file).catch(() => null))?.text.split(/\r\n|\n|\r/)[line - 1]?.trim() ?? '';
    if (text === '' || holdsKey(text)) return `${shown}:${line}`;
    return `${shown}:${line}: ${text.length > maxText ? `${cutHead(text, maxText)}…` : text}`;
  }

  private async shown(file: string): Promise<string | null> {
    let shown = this.shownOf.get(file);
    if (shown === undefined) this.shownOf.set(file, (shown = await this.look(file)));
    return shown;
  }

  private async look(file: string): Promise<string | null> {
    try {
      const { exists, readReasons, shown } = await this.access.forReading(file, this.sessionId);
      return exists && readReasons.length === 0 ? shown : null;
    } catch (error) {
      if (error instanceof PathError) return null;
      throw error;
    }
  }
}

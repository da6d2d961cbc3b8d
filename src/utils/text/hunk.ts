/**
 * Replacement of lines `beforeStart` to `beforeEnd` with lines `afterStart` to
 * `afterEnd`. Lines are 0-based. Ends are exclusive.
 */
export interface Hunk {
  beforeStart: number;
  beforeEnd: number;
  afterStart: number;
  afterEnd: number;
}

/** Replacement of lines `beforeStart` to `beforeEnd` (from 0, end exclusive) by lines `afterStart` to `afterEnd`. */
export interface Hunk {
  beforeStart: number;
  beforeEnd: number;
  afterStart: number;
  afterEnd: number;
}

import { describe, expect, it } from 'vitest';
import { followsEnd, type ScrollPosition } from '../../src/webview/conversation/useStickyScroll';

const at = (top: number, height = 1000, viewport = 200): ScrollPosition => ({ top, height, viewport });

describe('followsEnd', () => {
  it('lets go at the first scroll up', () => {
    expect(followsEnd(true, at(800), at(780))).toBe(false);
  });

  it('stays let go while text grows and while a person scrolls about', () => {
    expect(followsEnd(false, at(780), at(780, 1400))).toBe(false);
    expect(followsEnd(false, at(780), at(700))).toBe(false);
    expect(followsEnd(false, at(700), at(760))).toBe(false);
  });

  it('takes hold again at the end', () => {
    expect(followsEnd(false, at(700), at(798))).toBe(true);
  });

  it('keeps following while text grows under it', () => {
    expect(followsEnd(true, at(800), at(800, 1400))).toBe(true);
  });

  it('is not fooled by text that shrinks or a view that grows', () => {
    expect(followsEnd(true, at(800), at(690, 900))).toBe(true);
    expect(followsEnd(true, at(800), at(690, 1000, 300))).toBe(true);
  });
});

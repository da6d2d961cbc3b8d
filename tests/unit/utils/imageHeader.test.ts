import assert from 'node:assert/strict';
import fc from 'fast-check';
import { imageHeader } from '../../../src/utils/imageHeader';
import { jpegStart, png } from '../../support/images';
import { runSeed } from '../../support/rounds';

describe('the header of an image', () => {
  it('says format and size of a PNG and of a JPEG, by the bytes and not by a name', () => {
    assert.deepEqual(imageHeader(png(3, 2)), { type: 'image/png', width: 3, height: 2 });
    assert.deepEqual(imageHeader(jpegStart(1920, 1080)), { type: 'image/jpeg', width: 1920, height: 1080 });
  });

  it('says nothing of other formats, of what is cut off and of an image without a size', () => {
    const gif = Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1');
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    for (const bytes of [Buffer.alloc(0), gif, svg, png(3, 2).subarray(0, 20), jpegStart(9, 9).subarray(0, 9), png(0, 2)])
      assert.equal(imageHeader(bytes), null, bytes.toString('latin1'));
  });

  it('comes to an end with whatever follows the first bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const found = imageHeader(Buffer.concat([Buffer.from([0xff, 0xd8]), bytes]));
        assert.ok(found === null || (found.width > 0 && found.height > 0));
      }),
      { seed: runSeed() },
    );
  });
});

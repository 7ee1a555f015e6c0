/** Width and height of a picture, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size of a PNG, JPEG or GIF from its header; undefined when the bytes are none of these. */
export function readImageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && view.getUint32(0) === 0x8950_4e47) return { width: view.getUint32(16), height: view.getUint32(20) };
  if (bytes.length >= 10 && view.getUint32(0) === 0x4749_4638) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  return bytes.length >= 4 && view.getUint16(0) === 0xffd8 ? readJpegSize(view) : undefined;
}

function readJpegSize(view: DataView): ImageSize | undefined {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // SOF0 to SOF15 carry the size; DHT, JPG and DAC share their range.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

// A length goes before a path and before the bytes of a file, so that no two sets of files give the same stream.
const LENGTH_BYTES = 8

/**
 * What goes into the hash before the bytes of a file: length of the path, path, length of the bytes; lengths as 8 bytes
 * big-endian. Source: app-deploy, Build.
 * @param path UTF-8 of the relative path with forward slashes
 * @param length of the file, in bytes
 */
export function fingerprintFrame(path: Uint8Array, length: number): Uint8Array {
  const frame = new Uint8Array(LENGTH_BYTES + path.length + LENGTH_BYTES)
  const view = new DataView(frame.buffer)
  view.setBigUint64(0, BigInt(path.length))
  frame.set(path, LENGTH_BYTES)
  view.setBigUint64(LENGTH_BYTES + path.length, BigInt(length))
  return frame
}

/** Compares two paths by code points, which is the order of their UTF-8 bytes and the one that Python sorts by. */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  // Back to the begin of a character that takes two units.
  if (at > 0 && isSecondHalf(a.charCodeAt(at)) && isSecondHalf(b.charCodeAt(at))) at--
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/**
 * Bytes of a text in UTF-8. Counted, because the contract and the domain know no runtime that could encode it; by units and
 * not by characters, as whole outputs of jobs are measured so.
 * @param text a surrogate without its other half counts as the three bytes of the character that replaces it
 */
export function utf8Bytes(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (isBetween(unit, 0xd800, 0xdbff) && isBetween(text.charCodeAt(at + 1), 0xdc00, 0xdfff)) {
      bytes += 4
      at += 1
    } else bytes += 3
  }
  return bytes
}

const isBetween = (unit: number, first: number, last: number): boolean => unit >= first && unit <= last

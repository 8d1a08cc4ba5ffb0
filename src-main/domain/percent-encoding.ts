/**
 * A part of an address as it reads: without its percent-encoding. A percent sign that encodes nothing stands for
 * itself, as in a name or a password that somebody typed.
 */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

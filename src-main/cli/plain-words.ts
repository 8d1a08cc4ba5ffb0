/**
 * A text of a stranger for a terminal: without the signs by which it would move the cursor, change colours or set the
 * clipboard. Lines and tabs stay.
 */
export function plainWords(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}

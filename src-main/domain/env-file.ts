/**
 * Reads the text of `.env` files by the rules of the Python package, so that scripts, commands and pages see the same.
 */

// One line, or a quoted value that goes on over line breaks. Only \n begins and ends a line: `^` and `$` would also
// take a \r, which Python does not.
const LINE =
  /(?<![^\n])[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(?:(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)")[ \t]*(?:#[^\n]*)?|([^\n]*))(?![^\n])/g
// In a plain value a comment begins with a space and #, so that a#b is a value.
const COMMENT = /(?:^|\s+)#[^\n]*$/
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Names and values; lines that are none are passed over, and the last of equal names counts. A $ is a $. */
export function parseEnvFile(text: string): Readonly<Record<string, string>> {
  const values = new Map<string, string>()
  for (const [, name = '', single, double, plain = ''] of text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .matchAll(LINE)) {
    const unescaped = double?.replace(/\\([\s\S])/g, (_all, letter: string) => ESCAPES[letter] ?? letter)
    values.set(name, single ?? unescaped ?? plain.replace(COMMENT, '').trim())
  }
  return Object.fromEntries(values)
}

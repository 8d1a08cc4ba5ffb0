/** Parses `.env` by the Python package's rules, so that scripts, commands and pages agree. */

// One line, or a quoted multi-line value. Only \n separates lines: `^` and `$` would also match \r, unlike Python.
const LINE =
  /(?<![^\n])[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(?:(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)")[ \t]*(?:#[^\n]*)?|([^\n]*))(?![^\n])/g
// A comment in a plain value needs a space before #, so a#b is a value.
const COMMENT = /(?:^|\s+)#[^\n]*$/
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Skips invalid lines; the last duplicate wins. A $ is literal. */
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

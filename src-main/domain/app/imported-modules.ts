/** Which top-level modules Python source imports, read line by line: rather too many than too few. */

const FROM = /^[ \t]*from[ \t]+([A-Za-z_]\w*)/gm
const IMPORT = /(?:^|[;:])[ \t]*import[ \t]+([^#;\n]+)/gm
const BY_TEXT = /\b(?:import_module|__import__)\([ \t\n]*["']([A-Za-z_]\w*)/g
const BY_VALUE = /\b(?:import_module|__import__)\([ \t\n]*(?![ \t\n"'])/

/** The top-level modules that a file imports. @returns undefined: it imports by a name that only it knows */
export function importedModules(text: string): readonly string[] | undefined {
  if (BY_VALUE.test(text)) return undefined
  const named = [FROM, BY_TEXT].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name))
  const listed = [...text.matchAll(IMPORT)].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => /^[ \t]*([A-Za-z_]\w*)/.exec(name)?.[1] ?? []),
  )
  return [...new Set([...named, ...listed])]
}

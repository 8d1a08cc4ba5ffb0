export type PackageFiles = ReadonlyMap<string, string>

export type PackageFacts = {
  readonly requirements: readonly string[]
  readonly python: string | undefined
  readonly licence: string | undefined
  readonly classes: readonly string[]
}

export const isOfInterest = (path: string): boolean =>
  /^(?:requirements\.txt|pyproject\.toml|comfyui_version\.py|licen[cs]e(?:\.(?:md|txt))?|copying)$/i.test(path) ||
  (/\.py$/.test(path) && !/(?:^|\/)(?:tests?|\.[^/]*)\//.test(path))

export function factsOf(files: PackageFiles): PackageFacts {
  const project = projectOf(files.get('pyproject.toml') ?? '')
  const licence = [...files].find(([path]) => /^(?:licen[cs]e|copying)/i.test(path))?.[1]
  return {
    requirements: requirementsIn(files.get('requirements.txt') ?? ''),
    python: textAt(project, 'requires-python'),
    licence: shortLicence(licenceAt(project)) ?? licenceOfText(licence ?? ''),
    classes: [...new Set([...files].flatMap(([path, text]) => (path.endsWith('.py') ? classesIn(text) : [])))].sort(),
  }
}

export const comfyuiVersionIn = (files: PackageFiles): string | undefined =>
  /^__version__\s*=\s*["']([\w.+-]+)["']/m.exec(files.get('comfyui_version.py') ?? '')?.[1]

function requirementsIn(text: string): readonly string[] {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => /^[A-Za-z0-9]/.test(line) && line.length <= 1000)
}

const projectOf = (toml: string): string => /^\[project\][^\n]*\n([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(toml)?.[1] ?? ''

const textAt = (table: string, key: string): string | undefined =>
  new RegExp(`^${key}\\s*=\\s*["']([^"'\\n]{1,200})["']`, 'm').exec(table)?.[1]

const licenceAt = (table: string): string | undefined =>
  textAt(table, 'license') ?? /^license\s*=\s*\{[^}\n]*text\s*=\s*["']([^"'\n]{1,200})["']/m.exec(table)?.[1]

const shortLicence = (text: string | undefined) =>
  text === undefined || /licen[cs]e(?:\.\w+)?$/i.test(text) ? undefined : text

const LICENCES: readonly (readonly [RegExp, string])[] = [
  [/GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3/i, 'AGPL-3.0'],
  [/GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3/i, 'LGPL-3.0'],
  [/GNU GENERAL PUBLIC LICENSE\s+Version 3/i, 'GPL-3.0'],
  [/GNU GENERAL PUBLIC LICENSE\s+Version 2/i, 'GPL-2.0'],
  [/Apache License\s+Version 2\.0/i, 'Apache-2.0'],
  [/Permission is hereby granted, free of charge/i, 'MIT'],
  [/Attribution-NonCommercial/i, 'CC-BY-NC-4.0'],
  [/Redistribution and use in source and binary forms/i, 'BSD'],
]

const licenceOfText = (text: string): string | undefined =>
  LICENCES.find(([pattern]) => pattern.test(text.slice(0, 4000)))?.[1]

const MAPPINGS = /NODE_CLASS_MAPPINGS\s*(?::[^=\n]+)?(?:=|\.update\()\s*\{/g

function classesIn(python: string): readonly string[] {
  const literals = [...python.matchAll(MAPPINGS)].flatMap(({ index, 0: { length } }) =>
    keysOfLiteral(python, index + length),
  )
  const single = [...python.matchAll(/NODE_CLASS_MAPPINGS\[\s*(["'])([^"'\n]+)\1\s*\]\s*=/g)].map(
    ([, , name = '']) => name,
  )
  return [...literals, ...single]
}

const TOKEN = /#[^\n]*|"((?:\\.|[^"\\\n])*)"(\s*:)?|'((?:\\.|[^'\\\n])*)'(\s*:)?|[{}[\]()]/g

function keysOfLiteral(python: string, from: number): readonly string[] {
  const names: string[] = []
  let depth = 1
  TOKEN.lastIndex = from
  for (let found = TOKEN.exec(python); found !== null && depth > 0; found = TOKEN.exec(python)) {
    const [token, double, afterDouble, single, afterSingle] = found
    if (/^[{[(]$/.test(token)) depth++
    else if (/^[}\])]$/.test(token)) depth--
    else if (depth === 1 && (afterDouble ?? afterSingle) !== undefined) names.push(double ?? single ?? '')
  }
  return names.filter((name) => name !== '')
}

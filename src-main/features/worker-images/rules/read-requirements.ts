import { parseRequirement } from '../../apps/rules/requirements.ts'

export type PythonRequirement = {
  readonly text: string
  readonly name?: string
  readonly versions: string
  readonly address?: string
  readonly sha256: readonly string[]
}

export type RequirementProblem = { readonly text: string; readonly file: string; readonly why: string }

export type ReadRequirements = {
  readonly requirements: readonly PythonRequirement[]
  readonly unreadable: readonly RequirementProblem[]
  readonly lines: readonly string[]
  readonly indexes: readonly { readonly option: string; readonly file: string }[]
}

const COMMENT = /(^|\s)#.*$/
const CONTINUED = /\\\r?\n/g
const INCLUDE = /^(?:-r|--requirement)(?:\s*=\s*|\s+|(?<=-r))(\S+)$/
const EDITABLE = /^(?:-e|--editable)(?:\s*=\s*|\s+)(\S.*)$/
const INDEX = /^(?:-i|-f|--index-url|--extra-index-url|--find-links)\b/
const CONSTRAINTS = /^(?:-c|--constraint)\b/
const NAMELESS = /^(?:git|hg|svn|bzr)\+[a-z]+:\/\/|^(?:https?|file):\/\//i
// Options of one line, such as `torch --index-url ADDRESS`, which pip accepts only for hashes.
const LINE_OPTION = /\s+(--(?!hash)[a-z-]+(?:[=\s]\S+)?)/g
const PATH = /^[./~\\]|^[A-Za-z]:\\/
// Installers put the value into an address that a package chose.
const VARIABLE = /\$\{?\w/
const HASH = /--hash[=\s]sha256:([0-9a-f]{64})/gi

export function readRequirements(
  text: string,
  {
    file = 'requirements.txt',
    include = () => undefined,
  }: { readonly file?: string; readonly include?: (path: string, from: string) => string | undefined } = {},
): ReadRequirements {
  const requirements: PythonRequirement[] = []
  const unreadable: RequirementProblem[] = []
  const lines: string[] = []
  const indexes: { option: string; file: string }[] = []
  const seen = new Set<string>()
  const read = (content: string, from: string) => {
    seen.add(from)
    for (const raw of content
      .replace(/^\uFEFF/, '')
      .replace(CONTINUED, ' ')
      .split(/\r?\n|\r/)) {
      // Single spaces, as patterns take quadratic time on long runs of them.
      const line = raw.replace(/\s+/g, ' ').replace(COMMENT, '').trim()
      if (line === '') continue
      const included = INCLUDE.exec(line)?.[1]
      if (included !== undefined) {
        const path = besideFile(from, included)
        const found = seen.has(path) ? '' : include(path, from)
        if (found !== undefined) {
          read(found, path)
          continue
        }
        unreadable.push({ text: line, file: from, why: `there is no file ${path}` })
      } else if (CONSTRAINTS.test(line)) {
        unreadable.push({ text: line, file: from, why: 'files of constraints are not read' })
      } else if (INDEX.test(line)) {
        indexes.push({ option: withoutPasswords(line), file: from })
      } else if (!line.startsWith('-') || EDITABLE.test(line)) {
        const options = [...line.matchAll(LINE_OPTION)].map(([, option = '']) => option)
        indexes.push(
          ...options
            .filter((option) => INDEX.test(option))
            .map((option) => ({ option: withoutPasswords(option), file: from })),
        )
        const one = readRequirement(line.replace(LINE_OPTION, ''))
        if ('why' in one) unreadable.push({ text: line, file: from, why: one.why })
        else requirements.push(one)
      } else continue
      lines.push(line)
    }
  }
  read(text, file)
  return { requirements, unreadable, lines, indexes }
}

export function readRequirement(given: string): PythonRequirement | { readonly why: string } {
  const text = (EDITABLE.exec(given)?.[1] ?? given).trim()
  const sha256 = [...text.matchAll(HASH)].map(([, hash = '']) => hash.toLowerCase())
  if (VARIABLE.test(text)) return { why: 'variables of the environment are not replaced, as they may be secrets' }
  if (PATH.test(text)) return { why: 'paths are not supported; name a package or an address' }
  const read = parseRequirement(text)
  if ('why' in read) {
    const [address = ''] = text.split(/\s/, 1)
    return NAMELESS.test(address) ? { text: address, address, versions: '', sha256 } : read
  }
  const plain = read.text.replace(/\s+--hash=\S+/g, '')
  const address = / @ (\S+)/.exec(plain)?.[1]
  const versions = address === undefined ? plain.replace(/\s*;.*$/, '').replace(/^[^<>=!~]+/, '') : ''
  return { text: plain, name: read.name, versions, sha256, ...(address === undefined ? {} : { address }) }
}

/** Paths in a file are relative to its folder; those that leave the package stay as they are and are not found. */
function besideFile(file: string, path: string): string {
  const parts: string[] = file.split('/').slice(0, -1)
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

export const withoutPasswords = (text: string): string => text.replace(/\/\/[^/\s]+@/g, '//')

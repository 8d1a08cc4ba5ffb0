/** PEP 508 requirements: `name[extra,...] specifiers ; marker` or `name @ address ; marker`. */

export type Requirement = {
  readonly name: string
  readonly text: string
}

export type Unreadable = { readonly why: string }

const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*/
const EXTRAS = /^\[([^\]]*)\]\s*/
const EXTRA = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/
const SPECIFIER = /^(===|~=|==|!=|<=|>=|<|>)\s*([A-Za-z0-9.*+!_-]+)$/
const BARE_ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//
// Start of a marker; the installer parses the rest.
const MARKER = /^[("'A-Za-z]/
// Written by pip-compile after a requirement; the installer verifies it.
const HASHES = /\s+--hash[= ]\S+/g

/** Normalises a name as indexes do: `Pillow_SIMD` is `pillow-simd`. Source: PEP 503. */
export function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}

export function isPackageName(text: string): boolean {
  return EXTRA.test(text)
}

/** Refuses paths and editable installs: their files are not in the artifact. */
export function parseRequirement(given: string): Requirement | Unreadable {
  const hashes = given.match(HASHES)?.map((hash) => hash.trim().replace(/^--hash /, '--hash=')) ?? []
  const text = given.replace(HASHES, '').trim()
  if (/^[./~\\]|^[A-Za-z]:\\/.test(text)) return { why: 'it is a path; put the code into the project itself' }
  if (BARE_ADDRESS.test(text)) return bareAddress(text)
  const named = NAME.exec(text)
  if (named === null) return { why: 'it does not begin with the name of a package' }
  let rest = text.slice(named[0].length)
  const listed = EXTRAS.exec(rest)
  const extras = listed?.[1]?.trim() ? listed[1].split(',').map((extra) => extra.trim()) : []
  if (!extras.every((extra) => EXTRA.test(extra))) return { why: 'the extras in [] must be names separated by commas' }
  rest = rest.slice(listed?.[0].length ?? 0)
  const name = normaliseName(named[1] ?? '')
  const head = extras.length > 0 ? `${name}[${extras.map(normaliseName).sort().join(',')}]` : name
  const body = rest.startsWith('@') ? readAddress(rest.slice(1)) : readSpecifiers(rest)
  if ('why' in body) return body
  return { name, text: [head + body.text, ...hashes].join(' ') }
}

type Body = { readonly text: string } | Unreadable

function readAddress(rest: string): Body {
  // After an address, a marker needs a space before its semicolon.
  const [, address, marker] = /^\s*(\S+)(?:\s+;\s*(.*))?\s*$/.exec(rest) ?? []
  if (address === undefined || !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(address)) {
    return { why: 'after @ comes an address, with a space before the ; of a marker' }
  }
  return { text: ` @ ${address}${marker ? ` ; ${oneSpaced(marker)}` : ''}` }
}

function readSpecifiers(rest: string): Body {
  const end = rest.indexOf(';')
  const marker = end < 0 ? undefined : rest.slice(end + 1).trim()
  if (marker !== undefined && !MARKER.test(marker))
    return { why: 'after ; comes a marker like python_version < "3.12"' }
  const listed = (end < 0 ? rest : rest.slice(0, end)).trim().replace(/^\((.*)\)$/, '$1')
  const parts = listed.split(',').flatMap((part) => part.trim() || [])
  const read = parts.map((part) => SPECIFIER.exec(part))
  const wrong = parts.find((_part, at) => read[at] === null)
  if (wrong !== undefined) return { why: `${wrong} is not a version like ==1.2, ~=1.2 or >=1,<2` }
  const specifiers = read.flatMap((found) => (found ? `${found[1]}${found[2]}` : [])).sort()
  return { text: specifiers.join(',') + (marker === undefined ? '' : `; ${oneSpaced(marker)}`) }
}

/** A bare address: wheels have the name in the file name, others after `#egg=`. */
function bareAddress(text: string): Requirement | Unreadable {
  const file = text.replace(/[?#].*$/, '').replace(/^.*\//, '')
  const name =
    /^(.+?)-[^-]+(?:-[^-]+){3,4}\.whl$/.exec(decodePlus(file))?.[1] ?? /#(?:.*&)?egg=([\w.-]+)/.exec(text)?.[1]
  if (name === undefined || !EXTRA.test(name)) return { why: 'its package has no name; write it as NAME @ ADDRESS' }
  return { name: normaliseName(name), text: `${normaliseName(name)} @ ${text}` }
}

function decodePlus(file: string): string {
  return file.replace(/%2B/gi, '+')
}

function oneSpaced(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

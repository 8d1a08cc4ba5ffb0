/**
 * Facts from uv's explanation why requirements have no solution. Its sentences are premises and conclusions; premises
 * are facts, conclusions are dropped. Source: output of uv 0.4 to 0.13, recorded in test/fixtures/uv-explanations.
 */

export type Term = { readonly name: string; readonly versions: string }

export type ResolutionFacts = {
  readonly required: readonly Term[]
  readonly needs: readonly { readonly by: Term; readonly of: Term }[]
  readonly unknown: readonly string[]
  readonly absent: readonly Term[]
  readonly available: readonly Term[]
  readonly python: readonly { readonly of: Term; readonly versions: string }[]
  readonly noWheel: readonly { readonly of: Term; readonly misfit: 'python' | 'platform' | 'source' }[]
  readonly tags: readonly { readonly name: string; readonly tags: readonly string[] }[]
}

const PREMISE = /\b(?:And because|Because)\s+(.*?),?\s*we can conclude that/g
const WORD = String.raw`[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?[<>=!~][^\s]*|[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?`
const VERB = `(?:depends? on|requires? Python|was not found|ha(?:s|ve) no|was yanked|were yanked|is unavailable)`
const NEXT = new RegExp(
  String.raw`\s+and\s+(?=you require\b|only\b|there (?:is|are)\b|we know from\b|the requested Python\b|(?:all versions of|all of:|any of:|one of:)\s|(?:${WORD})\s+${VERB})`,
)
const TERM = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?([<>=!~].*)?$/
const HINT =
  /only found wheels for `([^`]+)` \([^)]*\) with the following [\w ]+ tags?:\s*((?:`[^`]+`,?\s*)+)|Wheels are available for `([^`]+)` \([^)]*\) on the following platforms?:\s*((?:`[^`]+`,?\s*)+)/g

export function readExplanation(stderr: string): ResolutionFacts | undefined {
  const [body = '', ...hints] = stderr.split(/^hint:/m)
  const text = body.replace(/\s+/g, ' ')
  const clauses = [...text.matchAll(PREMISE)].flatMap(([, premise = '']) => premise.split(NEXT))
  if (clauses.length === 0) return undefined
  const facts = {
    required: [] as Term[],
    needs: [] as { by: Term; of: Term }[],
    unknown: [] as string[],
    absent: [] as Term[],
    available: [] as Term[],
    python: [] as { of: Term; versions: string }[],
    noWheel: [] as { of: Term; misfit: 'python' | 'platform' | 'source' }[],
    tags: [...hints.join('\n').matchAll(HINT)].map(([, name, tags, other, platforms]) => ({
      name: name ?? other ?? '',
      tags: [...(tags ?? platforms ?? '').matchAll(/`([^`]+)`/g)].map(([, tag = '']) => tag),
    })),
  }
  const rows: readonly [RegExp, (subject: string, object: string) => void][] = [
    [/^()you require (.+)$/, (_, terms) => facts.required.push(...termsOf(terms))],
    // In two halves: "the requested Python version (>=3.11) does not satisfy Python>=3.13", "X depends on Python>=3.13".
    [
      /^(.+?) depends? on Python(\S+)$/,
      (by, versions) => facts.python.push(...termsOf(by).map((of) => ({ of, versions }))),
    ],
    [
      /^(.+?) requires? Python (\S+)$/,
      (by, versions) => facts.python.push(...termsOf(by).map((of) => ({ of, versions }))),
    ],
    [
      /^(.+?) depends? on (.+)$/,
      (subject, object) =>
        facts.needs.push(...termsOf(subject).flatMap((by) => alternatives(object).map((of) => ({ by, of })))),
    ],
    [/^(.+?) was not found in ()/, (name) => facts.unknown.push(...termsOf(name).map((term) => term.name))],
    [/^there (?:is|are) no versions? of ()(.+)$/, (_, terms) => facts.absent.push(...termsOf(terms))],
    [/^only ()(.+?) (?:is|are) available$/, (_, terms) => facts.available.push(...termsOf(terms))],
    [
      /^only the following versions of \S+ are available:()(.+)$/,
      (_, terms) => facts.available.push(...termsOf(terms)),
    ],
    [
      /^(.+?) ha(?:s|ve) no (wheels with a matching (?:Python|platform)|usable wheels)/,
      (of, kind) => {
        const misfit = kind.endsWith('Python') ? 'python' : kind.endsWith('platform') ? 'platform' : 'source'
        facts.noWheel.push(...termsOf(of).map((term) => ({ of: term, misfit }) as const))
      },
    ],
    [/^(.+?) (?:was|were) yanked()/, (terms) => facts.absent.push(...termsOf(terms))],
  ]
  for (const clause of clauses) {
    for (const [pattern, take] of rows) {
      const found = pattern.exec(clause.trim())
      if (found === null) continue
      take(found[1] ?? '', found[2] ?? '')
      break
    }
  }
  return facts
}

function termsOf(text: string): Term[] {
  return text
    .replace(/^all versions of /, '')
    .replace(/\b(?:one|any|all) of:/g, ' ')
    .split(/\s+/)
    .flatMap((word) => {
      const [, name, versions = ''] = TERM.exec(word.replace(/,$/, '')) ?? []
      return name === undefined || name === 'and' || name === 'both' ? [] : [{ name, versions }]
    })
}

function alternatives(text: string): Term[] {
  const byName = Map.groupBy(termsOf(text), ({ name }) => name)
  return [...byName].map(([name, terms]) => ({ name, versions: terms.map(({ versions }) => versions).join(' or ') }))
}

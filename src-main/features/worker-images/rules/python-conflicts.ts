/** Names who asks for what when Python packages cannot be installed together. Source: docs/spec/worker-images.md, 2. */
import { satisfies } from '@renovatebot/pep440'
import type { ImageConflict } from '../../../contract/worker-images.ts'
import { normaliseName } from '../../apps/rules/requirements.ts'
import { asks, listed, useAnother } from './conflict-text.ts'
import type { PythonRequirement, ReadRequirements } from './read-requirements.ts'
import { type ResolutionFacts, readExplanation, type Term } from './uv-explanation.ts'
import { readWheelName, wheelMisfit } from './wheel-files.ts'

export type Asked = PythonRequirement & { readonly from: string }

export type BaseImage = { readonly python: string; readonly provides: Readonly<Record<string, string>> }

export type FoundConflict = { readonly conflict: ImageConflict; readonly leaveOut: readonly Asked[] }

const SHOWN_LINES = 12

export function checkRequirements(
  asked: readonly Asked[],
  { python, provides }: BaseImage,
): { readonly usable: readonly Asked[]; readonly conflicts: readonly ImageConflict[] } {
  const conflicts: ImageConflict[] = []
  const usable = asked.filter((one) => {
    const wheel = one.address === undefined ? undefined : readWheelName(one.address)
    const provided = one.name === undefined ? undefined : provides[one.name]
    if (provided !== undefined && one.address !== undefined) {
      if (wheel?.version !== provided)
        conflicts.push(otherThanBase([one], [one.from], one.name ?? '', provided, one.address))
      return false
    }
    const misfit = wheel === undefined ? undefined : wheelMisfit(wheel, python)
    if (wheel === undefined || misfit === undefined) return true
    const ofWheel = misfit === 'python' ? wheel.pythons.map(pythonOfTag) : wheel.platforms
    conflicts.push(noFile(`${one.from} asks for ${one.address}`, [one.from], misfit, ofWheel, python))
    return false
  })
  return { usable, conflicts }
}

export function conflictsOfFile(from: string, { unreadable }: ReadRequirements): ImageConflict[] {
  return unreadable.map(({ text, file, why }) => ({
    code: 'requirement_unreadable',
    blocks: true,
    message: `${from} asks for "${text}" in ${file}: ${why}.`,
    choices: [`Correct or remove "${text}" in the requirements of ${from} in the lock.`, useAnother(from)],
  }))
}

export function warningsOfFile(from: string, { indexes }: ReadRequirements): ImageConflict[] {
  return indexes.map(({ option, file }) => ({
    code: 'index_ignored',
    blocks: false,
    message: `${from} names another package index in ${file}: ${option}. It is not used.`,
    choices: ['To use this index, set UV_INDEX to its address and lock the graph again.'],
  }))
}

export function explainFailure(
  stderr: string,
  { asked, ...base }: BaseImage & { readonly asked: readonly Asked[] },
): FoundConflict | undefined {
  const text = stderr.slice(Math.max(0, stderr.search(/^error:/m)))
  if (NO_PYTHON.test(text)) return undefined
  const facts = readExplanation(text)
  if (facts !== undefined) return new Explanation(facts, asked, base).find() ?? inItsWords(text, asked)
  return explainError(text, asked, base)
}

export const NO_PYTHON = /^error: No interpreter found for Python (\S+)/

const NETWORK =
  /error sending request|dns error|Request failed after|Could not connect|timed out|tcp connect error|HTTP status (?:client error \(4(?:01|03|07|29)|server error)/i

function explainError(text: string, asked: readonly Asked[], { provides }: BaseImage): FoundConflict | undefined {
  const twoAddresses = /conflicting URLs for package `([^`]+)`/.exec(text)?.[1]
  if (twoAddresses !== undefined) {
    const those = asked.filter(({ name, address }) => name === normaliseName(twoAddresses) && address !== undefined)
    return {
      conflict: incompatible(
        twoAddresses,
        those.map((one) => ({ who: one.from, says: `${one.from} asks for ${one.text}` })),
      ),
      leaveOut: those.slice(1),
    }
  }
  const source = /Building source distributions(?: for `([^`]+)`)? is disabled/.exec(text)
  const subject =
    source?.[1] ??
    /(?:Failed to (?:download|build|download and build)|Failed to (?:fetch|resolve)) `([^`@\s]+)/.exec(text)?.[1] ??
    /package name `([^`]+)` does not match/.exec(text)?.[1]
  const address = /(?:Distribution not found at|Failed to fetch): [`]?([^`\s]+)/.exec(text)?.[1]
  const isGit = /Git operation failed/.test(text)
  if (!isGit && NETWORK.test(text)) return undefined
  const mentioned = (one: Asked) =>
    (subject !== undefined && one.name === normaliseName(subject)) ||
    (one.address !== undefined && (one.address === address || text.includes(one.address.replace(/^git\+/, ''))))
  const nameless = asked.filter((one) => one.name === undefined)
  const found = asked.filter(mentioned)
  const leaveOut = found.length > 0 ? found : source !== null ? nameless : []
  const [first] = leaveOut
  if (first === undefined) return inItsWords(text, asked)
  const who = [...new Set(leaveOut.map(({ from }) => from))]
  const says = `${asks(who)} ${first.text}`
  if (source !== null) return { conflict: onlySource(says, who, subject ?? first.name ?? first.text), leaveOut }
  const why = isGit ? gitReason(text) : lastLines(text, 1)
  return {
    conflict: {
      code: 'python_missing',
      blocks: true,
      message: `${says}, which cannot be read: ${why}`,
      choices: [`Correct or remove ${first.text} in the lock.`, ...who.map(useAnother)],
    },
    leaveOut:
      first.name !== undefined && provides[first.name] !== undefined
        ? asked.filter((one) => one.name === first.name)
        : leaveOut,
  }
}

type Demand = {
  readonly key: string
  readonly versions: string
  readonly chains: readonly Chain[]
}
type Chain = { readonly root: Asked; readonly steps: readonly string[] }

class Explanation {
  readonly #facts: ResolutionFacts
  readonly #asked: readonly Asked[]
  readonly #base: BaseImage

  constructor(facts: ResolutionFacts, asked: readonly Asked[], base: BaseImage) {
    this.#facts = facts
    this.#asked = asked
    this.#base = base
  }

  find(): FoundConflict | undefined {
    return this.#unknownPackage() ?? this.#twoDemands() ?? this.#baseImage() ?? this.#python() ?? this.#absentVersion()
  }

  #unknownPackage(): FoundConflict | undefined {
    for (const name of this.#facts.unknown) {
      const chains = this.#demands(name).flatMap((demand) => demand.chains)
      const found = missing(chains, `There is no package ${name} in the index`, name)
      if (found !== undefined) return found
    }
    return undefined
  }

  #twoDemands(): FoundConflict | undefined {
    const names = [
      ...new Set([...this.#facts.needs.map(({ of }) => of.name), ...this.#facts.required.map(({ name }) => name)]),
    ]
    const disputed = names.filter((name) => {
      const demands = this.#demands(name)
      return (
        new Set(demands.map(({ key }) => key)).size > 1 && new Set(demands.map(({ versions }) => versions)).size > 1
      )
    })
    const subject = disputed.find((name) => !disputed.some((other) => other !== name && this.#leadsTo(name, other)))
    if (subject === undefined || this.#base.provides[subject] !== undefined) return undefined
    const byKey = new Map<string, Demand>()
    for (const demand of this.#demands(subject)) if (!byKey.has(demand.key)) byKey.set(demand.key, demand)
    const chains = [...byKey.values()].flatMap((demand) => demand.chains.slice(0, 1))
    if (chains.length < 2) return undefined
    const all = [...byKey.values()].flatMap((demand) => demand.chains)
    const kept = chains[0]?.root.from
    const others = all.filter(({ root }) => root.from !== kept).map(({ root }) => root)
    return {
      conflict: incompatible(
        subject,
        uniqueBy(all, told).map((chain) => ({ who: chain.root.from, says: told(chain) })),
      ),
      leaveOut: others.length > 0 ? others : all.map(({ root }) => root),
    }
  }

  #baseImage(): FoundConflict | undefined {
    const limits = [
      ...this.#facts.absent,
      ...this.#facts.available,
      ...this.#facts.needs.map(({ of }) => of),
      ...this.#facts.required,
    ]
    for (const name of new Set(limits.map((term) => term.name))) {
      const provided = this.#base.provides[name]
      if (provided === undefined) continue
      const demands = this.#demands(name).filter(({ versions }) => !accepts(versions, provided))
      const chains = demands.flatMap((demand) => demand.chains)
      const [first] = chains
      if (first === undefined) continue
      const says = uniqueBy(chains, told).map(told).join('; ')
      return {
        conflict: otherThanBase(
          chains.map(({ root }) => root),
          chains.map(({ root }) => root.from),
          name,
          provided,
          demands[0]?.versions ?? '',
          says,
        ),
        leaveOut: chains.map(({ root }) => root),
      }
    }
    return undefined
  }

  #python(): FoundConflict | undefined {
    for (const { of, versions } of this.#facts.python) {
      const chains = this.#chainsTo(of)
      const [first] = chains
      if (first === undefined) continue
      const who = froms(chains)
      return {
        conflict: {
          code: 'python_release',
          blocks: true,
          message: `${told(first)}. ${of.name} needs Python ${versions}, and the base image has Python ${this.#base.python}.`,
          choices: [`Use a base image with Python ${versions}.`, ...who.map(useAnother)],
        },
        leaveOut: chains.map(({ root }) => root),
      }
    }
    for (const { of, misfit } of this.#facts.noWheel) {
      const chains = this.#chainsTo(of)
      const [first] = chains
      if (first === undefined) continue
      const who = froms(chains)
      const tags = this.#facts.tags.filter(({ name }) => name === of.name).flatMap((hint) => hint.tags)
      const conflict =
        misfit === 'source'
          ? onlySource(told(first), who, of.name)
          : noFile(told(first), who, misfit, misfit === 'python' ? tags.map(pythonOfTag) : tags, this.#base.python)
      return { conflict, leaveOut: chains.map(({ root }) => root) }
    }
    return undefined
  }

  #absentVersion(): FoundConflict | undefined {
    const { absent, available } = this.#facts
    for (const { name } of [...absent, ...available]) {
      const chains = this.#demands(name).flatMap((demand) => demand.chains)
      const only = available.filter((term) => term.name === name).map((term) => name + term.versions)
      const why = only.length === 0 ? 'There is no such version in the index' : `The index has only ${listed(only)}`
      const found = missing(chains, why, name)
      if (found !== undefined) return found
    }
    return undefined
  }

  #demands(name: string): readonly Demand[] {
    const direct = this.#facts.required.some((term) => term.name === name)
      ? this.#rootsOf(name).map((root) => ({
          key: `${root.from}\n${root.text}`,
          versions: root.versions || (root.address ?? ''),
          chains: [{ root, steps: [root.text] }],
        }))
      : []
    const through = this.#facts.needs
      .filter(({ by, of }) => of.name === name && by.name !== name)
      .map(({ by, of }) => ({
        key: `package ${by.name}`,
        versions: of.versions,
        chains: this.#chainsTo(by).map(({ root, steps }) => ({ root, steps: [...steps, of.name + of.versions] })),
      }))
    return [...direct, ...through].filter(({ chains }) => chains.length > 0)
  }

  #chainsTo({ name }: Term, seen: ReadonlySet<string> = new Set()): readonly Chain[] {
    const direct = this.#rootsOf(name).map((root) => ({ root, steps: [root.text] }))
    if (direct.length > 0 || seen.has(name)) return direct
    const parents = this.#facts.needs.filter(({ by, of }) => of.name === name && by.name !== name)
    const chains = parents.flatMap(({ by, of }) =>
      this.#chainsTo(by, new Set([...seen, name])).map(({ root, steps }) => ({
        root,
        steps: [...steps, of.name + of.versions],
      })),
    )
    return uniqueBy(chains, ({ root }) => root.from + root.text)
  }

  /** uv prints versions in another order; requirements that do not match its text may still be meant. */
  #rootsOf(name: string): readonly Asked[] {
    const named = this.#asked.filter((one) => one.name === name)
    const printed = new Set(
      this.#facts.required.filter((term) => term.name === name).map((term) => sorted(term.versions)),
    )
    const exact = named.filter((one) => printed.has(sorted(one.versions)))
    const limiting = named.filter((one) => one.versions !== '' || one.address !== undefined)
    return exact.length === printed.size && exact.length > 0
      ? exact
      : limiting.length > 0 && ![...printed].every((text) => text === '')
        ? limiting
        : named
  }

  #leadsTo(from: string, to: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (seen.has(from)) return false
    const next = this.#facts.needs.filter(({ by }) => by.name === from).map(({ of }) => of.name)
    return next.includes(to) || next.some((name) => this.#leadsTo(name, to, new Set([...seen, from])))
  }
}

const sorted = (versions: string): string => versions.split(',').sort().join(',')

function accepts(versions: string, provided: string): boolean {
  try {
    return versions.split(' or ').some((range) => range === '' || satisfies(provided, range, { prereleases: true }))
  } catch {
    return false
  }
}

const told = ({ root, steps: [first = '', ...others] }: Chain): string =>
  [`${root.from} asks for ${first}`, ...others.map((step) => `which needs ${step}`)].join(', ')

const froms = (chains: readonly Chain[]): string[] => [...new Set(chains.map(({ root }) => root.from))]

function missing(chains: readonly Chain[], why: string, name: string): FoundConflict | undefined {
  const [first] = chains
  if (first === undefined) return undefined
  const who = froms(chains)
  const says = uniqueBy(chains, told).map(told)
  return {
    conflict: {
      code: 'python_missing',
      blocks: true,
      message: `${says.join('; ')}. ${why}.`,
      choices: [
        ...(first.steps.length === 1 ? [`Correct or remove ${first.root.text} in the lock.`] : []),
        ...who.map(useAnother),
        `Set UV_INDEX to an index that has ${name}.`,
      ],
    },
    leaveOut: chains.map(({ root }) => root),
  }
}

function incompatible(name: string, sides: readonly { readonly who: string; readonly says: string }[]): ImageConflict {
  const who = [...new Set(sides.map((side) => side.who))]
  const only = who.length === 1 ? ', and contradicts itself' : ''
  return {
    code: 'python_versions',
    blocks: true,
    message: `${sides.map(({ says }) => says).join('; ')}${only}. No version of ${name} satisfies all of them.`,
    choices: [...who.map(useAnother), `Change a requirement on ${name} in the lock.`],
  }
}

const CUDA_BUILD = /\+cu(\d+)(\d)\b/

export function cudaOfBuild(version: string): string | undefined {
  const found = CUDA_BUILD.exec(version.replace(/%2B/gi, '+'))
  return found === null ? undefined : `${found[1]}.${found[2]}`
}

function otherThanBase(
  asked: readonly Asked[],
  who: readonly string[],
  name: string,
  provided: string,
  wish: string,
  says = asked.map((one) => `${one.from} asks for ${one.text}`).join('; '),
): ImageConflict {
  const cuda = cudaOfBuild(wish)
  const own = cudaOfBuild(provided)
  const other = cuda !== undefined && cuda !== own
  const build = other ? `, built for CUDA ${cuda}` : ''
  const has = `the base image has ${name} ${provided}${own === undefined || !other ? '' : `, for CUDA ${own}`}`
  return {
    code: other ? 'cuda_release' : 'python_versions',
    blocks: true,
    message: `${says}${build}, but ${has}. Packages of the base image are never replaced.`,
    choices: [
      `Use a base image with ${name}${/^[<>=!~]/.test(wish) ? wish : ` of ${wish}`}.`,
      ...new Set(who.map(useAnother)),
    ],
  }
}

function noFile(
  says: string,
  who: readonly string[],
  misfit: 'python' | 'platform',
  made: readonly string[],
  python: string,
): ImageConflict {
  const ofWheels = made.length === 0 ? 'another one' : listed([...new Set(made)])
  return misfit === 'python'
    ? {
        code: 'python_release',
        blocks: true,
        message: `${says}, which is built for ${ofWheels}. The base image has Python ${python}.`,
        choices: [`Use a base image with ${ofWheels}.`, ...who.map(useAnother)],
      }
    : {
        code: 'python_missing',
        blocks: true,
        message: `${says}, which is built for ${made.length === 0 ? 'another platform' : ofWheels} and not for Linux x86_64.`,
        choices: who.map(useAnother),
      }
}

function onlySource(says: string, who: readonly string[], name: string): ImageConflict {
  return {
    code: 'python_source',
    blocks: true,
    message: `${says}. ${name} is available only as source code, and reading its requirements runs its set-up program on this machine.`,
    choices: [`Add source:${name} to \`accept\` in the lock, and lock with --run-setup.`, ...who.map(useAnother)],
  }
}

const pythonOfTag = (tag: string): string => tag.replace(/^(?:cp|py)(\d)(\d+)m?$/, 'Python $1.$2')

function inItsWords(text: string, asked: readonly Asked[]): FoundConflict {
  return {
    conflict: {
      code: 'python_versions',
      blocks: true,
      message: `The Python packages are not compatible. uv reports: ${lastLines(text, SHOWN_LINES)}`,
      choices: [...new Set(asked.map(({ from }) => from))].map(useAnother),
    },
    leaveOut: [],
  }
}

function gitReason(text: string): string {
  return /^\s*(fatal: .*)$/m.exec(text)?.[1]?.replace(/^fatal: /, '') ?? lastLines(text, 1)
}

function lastLines(text: string, count: number): string {
  return text
    .trim()
    .replace(/^error: /, '')
    .split(/\r?\n/)
    .slice(-count)
    .join('\n')
}

function uniqueBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [key(item), item] as const)).values()]
}

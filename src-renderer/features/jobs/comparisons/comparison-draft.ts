import type { ComparisonCreate, ComparisonRules } from '../../../../src-main/contract/compare.ts'
import { limit, utf8Bytes } from '../../../../src-main/contract/limits.ts'
import { sizeText } from '../../../../src-main/lib/text.ts'

export type VersionDraft = { readonly endpoint: string; readonly image: string; readonly set: string }

export type RuleTexts = Readonly<Record<Exclude<keyof ComparisonRules, 'ignore'>, string>>

export const TOLERANCES = ['Exact', 'Close', 'Custom'] as const

export type Tolerance = (typeof TOLERANCES)[number]

/** Source: ours, covers reordered sums and other GPUs of a model. */
const CLOSE = { relative: 0.001, similarity: 0.98 } as const satisfies ComparisonRules

export type ComparisonDraft = {
  readonly mode: ComparisonCreate['mode']
  readonly name: string
  readonly versions: readonly VersionDraft[]
  readonly tolerance: Tolerance
  readonly rules: RuleTexts
  readonly ignore: string
}

export const NO_RULES: RuleTexts = { absolute: '', relative: '', distance: '', pixels: '', similarity: '', slower: '' }

export type ComparisonInputs = Pick<ComparisonCreate, 'filter' | 'ids' | 'file'>

export type DraftProblems = Readonly<Record<string, string>>

export function readComparison(
  { mode, name, versions, tolerance, rules, ignore }: ComparisonDraft,
  inputs: ComparisonInputs,
): { readonly body: Omit<ComparisonCreate, 'atOnce'> } | { readonly problems: DraftProblems } {
  const problems: Record<string, string> = {}
  const numbers: Record<string, number> = tolerance === 'Close' ? { ...CLOSE } : {}
  for (const [rule, text] of Object.entries(rules)) {
    if (tolerance !== 'Custom' || text.trim() === '') continue
    const value = Number(text)
    if (Number.isFinite(value)) numbers[rule] = value
    else problems[rule] = 'A number, like 0.01.'
  }
  const read = versions.map(({ endpoint, image, set }, at) => {
    const values = settingsOf(set)
    if ('line' in values) problems[`set ${at}`] = `Line ${values.line} must be NAME=VALUE, like 3.cfg=7.`
    return {
      endpoint,
      ...(image.trim() === '' ? {} : { image: image.trim() }),
      ...('set' in values && Object.keys(values.set).length > 0 ? { set: values.set } : {}),
    }
  })
  const paths = ignore.split(',').flatMap((path) => (path.trim() === '' ? [] : [path.trim()]))
  if (inputs.file !== undefined && utf8Bytes(inputs.file) > limit('comparisonFileBytes'))
    problems.file = `It may have ${sizeText(limit('comparisonFileBytes'))} at most. Choose a part of it.`
  if (Object.keys(problems).length > 0) return { problems }
  return {
    body: {
      ...inputs,
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      mode,
      versions: read,
      rules: { ...numbers, ...(paths.length === 0 ? {} : { ignore: paths }) },
    },
  }
}

function settingsOf(text: string): { readonly set: Record<string, string> } | { readonly line: number } {
  const set: Record<string, string> = {}
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const [, name, value] = /^\s*([^=]+?)\s*=(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return { line: at + 1 }
    set[name] = value
  }
  return { set }
}

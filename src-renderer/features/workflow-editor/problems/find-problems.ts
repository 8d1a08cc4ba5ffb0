import type { ModelKey } from '../../../../src-main/contract/models.ts'
import { directoryOfInput, graphName, isModelHere } from '../../../../src-main/features/models/rules/layout.ts'
import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import {
  type NodePackage,
  type PackagesByClass,
  packagesOfDocument,
  withNamed,
} from '../../../../src-main/features/workflows/rules/node-packages.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { type PayloadNode, readPayloadNodes } from '../../../../src-main/features/workflows/rules/payload.ts'
import {
  type Problem,
  type ProblemCode,
  saidWithPackages,
} from '../../../../src-main/features/workflows/rules/problem.ts'
import {
  findMissingModel,
  type InstalledModels,
  type OfferedModel,
  offeredModels,
} from '../../../../src-main/features/workflows/rules/runs/graph-models.ts'
import { unrunnableNodes } from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../../src-main/features/workflows/rules/validate.ts'
import { counted } from '../../../../src-main/lib/text.ts'

export type Missing = {
  readonly kind: 'class' | 'model'
  readonly name: string
  readonly offer?: OfferedModel
  readonly directory?: string
  readonly packages?: readonly NodePackage[]
}

/** A problem of the open document; problems of models also make the service refuse a submission. */
export type FoundProblem = Omit<Problem, 'code'> & {
  readonly code: ProblemCode | 'model_not_installed'
  readonly missing?: Missing
}

export type CheckedFor = {
  readonly types: NodeTypes
  /** Model files of the endpoint; undefined if unknown, or if not to be checked. */
  readonly installed: readonly string[] | undefined
  readonly here: readonly ModelKey[]
  readonly endpoint: string | undefined
  /** Why the endpoint takes no graphs, as the end of a sentence; undefined if it does. */
  readonly refusal: string | undefined
  /** Its handler, which may show that its worker has no classes other than `types`. */
  readonly handler: string | undefined
  readonly indexed: PackagesByClass
  readonly now: number
}

export function findProblems(
  document: WorkflowDocument,
  { types, installed, here, endpoint, refusal, handler, indexed, now }: CheckedFor,
): readonly FoundProblem[] {
  const { payload, problems } = toPayload(document, types, now)
  // An empty graph, or one with only notes, has no problems.
  if (payload.size === 0) return problems
  const nodes = new Map(readPayloadNodes(payload).map((node) => [node.id, node]))
  // An unknown class already explains why the values of a node have no names.
  const checked = validate(payload, types)
  const [unknown, unnamed] = [nodesWith(checked, 'unknown_class'), nodesWith(problems, 'values_not_named')]
  const others = problems.filter(({ code, node }) => code !== 'values_not_named' || !unknown.has(node))
  const unrunnable = new Set(unrunnableNodes({ handler }, [...nodes.values()], types).map(({ id }) => id))
  const known = { offers: offeredModels(document), packages: knownPackages(document, indexed) }
  const { offers } = known
  const found: FoundProblem[] = [...others, ...checked].flatMap((problem) => {
    const missing = missingOf(problem, nodes.get(problem.node ?? ''), known)
    if (missing === undefined) return [problem]
    // The server reported its files before this one arrived.
    if (missing.kind === 'model' && isModelHere(here, missing.name, missing.directory)) return []
    const [isUnnamed, isUnrunnable] = [unnamed.has(problem.node), unrunnable.has(problem.node ?? '')]
    const text = problemText(problem, missing, { endpoint, isUnnamed, isUnrunnable })
    return [{ ...problem, ...text, message: saidWithPackages(text.message, missing.packages), missing }]
  })
  if (refusal !== undefined) found.push(takesNone(endpoint, refusal))
  if (installed !== undefined)
    found.push(...missingModels(nodes.values(), { named: installed, here }, { endpoint, offers }))
  const unique = new Map(found.map((one) => [`${one.code} ${one.node} ${one.input}`, one]))
  const all = [...unique.values()]
  return [...all.filter(({ severity }) => severity === 'error'), ...all.filter(({ severity }) => severity !== 'error')]
}

export const knownPackages = (document: WorkflowDocument, indexed: PackagesByClass): PackagesByClass =>
  withNamed(indexed, packagesOfDocument(document))

const nodesWith = (problems: readonly Problem[], wanted: ProblemCode): ReadonlySet<string | undefined> =>
  new Set(problems.flatMap(({ code, node }) => (code === wanted ? [node] : [])))

type Offers = ReadonlyMap<string, OfferedModel>

function missingModel(name: string, input: string, { classType }: PayloadNode, offers: Offers): Missing {
  const offer = offers.get(graphName(name))
  const directory = directoryOfInput(input, classType)
  return { kind: 'model', name, ...(offer && { offer }), ...(directory !== undefined && { directory }) }
}

type Known = { readonly offers: Offers; readonly packages: PackagesByClass }

function missingOf({ code, input }: Problem, node: PayloadNode | undefined, known: Known): Missing | undefined {
  if (node === undefined) return undefined
  if (code === 'unknown_class') {
    const packages = known.packages.get(node.classType)
    return { kind: 'class', name: node.classType, ...(packages === undefined ? {} : { packages }) }
  }
  if (code !== 'value_not_in_list' || input === undefined) return undefined
  const given = node.inputs.get(input)
  const inputs = new Map(given === undefined ? [] : [[input, given]])
  const asked = findMissingModel([{ id: node.id, inputs }], { named: [], here: [] })?.asked
  return asked === undefined ? undefined : missingModel(asked, input, node, known.offers)
}

export function takesNone(endpoint: string | undefined, why: string): Problem {
  const message = `Endpoint ${endpoint ?? ''} cannot run this graph: ${why}.`
  return { code: 'takes_no_workflows', severity: 'error', message }
}

const lacksClass = (endpoint: string | undefined, name: string) =>
  `${lacks(endpoint)} the class ${name}, so it cannot run the node. Choose another endpoint.`

export const whyUnrunnable = (
  endpoint: string | undefined,
  className: string,
  packages: readonly NodePackage[] | undefined,
): string => saidWithPackages(lacksClass(endpoint, className), packages)

type ProblemFacts = Pick<CheckedFor, 'endpoint'> & { readonly isUnnamed: boolean; readonly isUnrunnable: boolean }

function problemText({ message }: Problem, { kind, name }: Missing, facts: ProblemFacts) {
  const { endpoint, isUnnamed, isUnrunnable } = facts
  if (kind === 'model') return { message: lacksModel(endpoint, name) }
  if (isUnrunnable) return { message: lacksClass(endpoint, name), severity: 'error' } as const
  if (isUnnamed) {
    const why = `${lacks(endpoint)} the class ${name}, and the file does not name the values of the node`
    return { message: `${why}: they are not sent. Choose an endpoint that has the class.` }
  }
  if (endpoint === undefined) return { message }
  return {
    message: `${lacks(endpoint)} the class ${name}. Its worker may still have it; otherwise choose another endpoint.`,
  }
}

const lacks = (endpoint: string | undefined) =>
  endpoint === undefined ? 'Nothing here has' : `Endpoint ${endpoint} does not have`
const lacksModel = (endpoint: string | undefined, name: string) =>
  `${lacks(endpoint)} the model ${name}. Choose one that it has, or another endpoint.`

function missingModels(
  nodes: Iterable<PayloadNode>,
  installed: InstalledModels,
  { endpoint, offers }: { readonly endpoint: string | undefined; readonly offers: Offers },
): readonly FoundProblem[] {
  return [...nodes].flatMap((node): readonly FoundProblem[] => {
    const found = findMissingModel([node], installed)
    if (found === undefined) return []
    const missing = missingModel(found.asked, found.input, node, offers)
    const message = lacksModel(endpoint, found.asked)
    return [{ code: 'model_not_installed', severity: 'error', node: node.id, input: found.input, message, missing }]
  })
}

/** Problems by node, repeated at the nodes that contain theirs: `57:8` at `57` too. */
export function problemsByNode(problems: readonly FoundProblem[]): ReadonlyMap<string, readonly FoundProblem[]> {
  const byNode = new Map<string, FoundProblem[]>()
  for (const problem of problems) {
    const parts = problem.node?.split(':') ?? []
    for (let length = 1; length <= parts.length; length += 1) {
      const id = parts.slice(0, length).join(':')
      const others = byNode.get(id)
      if (others === undefined) byNode.set(id, [problem])
      else others.push(problem)
    }
  }
  return byNode
}

export type ProblemGroup = { readonly node: string | undefined; readonly problems: readonly FoundProblem[] }

export function groupProblems(problems: readonly FoundProblem[]): readonly ProblemGroup[] {
  return [...Map.groupBy(problems, ({ node }) => node)].map(([node, found]) => ({ node, problems: found }))
}

export function countProblems(errors: number, warnings: number): string {
  const counts = [[errors, 'error'] as const, [warnings, 'warning'] as const].filter(([count]) => count > 0)
  return counts.length === 0 ? 'No problems' : counts.map(([count, noun]) => counted(count, noun)).join(', ')
}

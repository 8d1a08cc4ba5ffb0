/** Payloads of documents whose classes are unknown, one class at a time, next to those with all classes. */
import { readDocument, type WorkflowDocument } from '../../src-main/features/workflows/rules/document/document.ts'
import { readPayloadNodes } from '../../src-main/features/workflows/rules/payload.ts'
import { toResolvedPayload } from '../../src-main/features/workflows/rules/resolve/resolve.ts'
import { sameJson, writeJson } from '../../src-main/lib/json/value.ts'
import { objectIn, TYPES } from './convert.ts'

type Counts = {
  /** Nodes of the class that is unknown in turn. */
  readonly nodes: number
  /** Of these, nodes that the problems of the conversion name, because the file does not name their values. */
  readonly told: number
  /** Nodes that are sent as if their class was known. */
  readonly same: number
  /** Others that lack nothing but the defaults of widgets that are newer than the file. */
  readonly withoutDefaults: number
  /** All others, with the names of inputs that differ. */
  readonly wrong: readonly string[]
}

export function withoutEachClass(documents: Iterable<readonly [name: string, text: string]>): Counts {
  const all = [...documents].flatMap(([name, text]) => differencesOf(name, readDocument(objectIn(text))))
  const count = (kind: Difference['kind']) => all.filter((one) => one.kind === kind).length
  return {
    nodes: all.length,
    told: count('told'),
    same: count('same'),
    withoutDefaults: count('without defaults'),
    wrong: all.flatMap(({ kind, where }) => (kind === 'wrong' ? [where] : [])),
  }
}

type Difference = { readonly kind: 'told' | 'same' | 'without defaults' | 'wrong'; readonly where: string }

function differencesOf(name: string, document: WorkflowDocument): readonly Difference[] {
  const nodes = readPayloadNodes(toResolvedPayload(document, TYPES, 0).payload)
  const byClass = Map.groupBy(nodes, ({ classType }) => classType)
  return [...byClass].flatMap(([className, known]) => {
    const types = new Map(TYPES)
    if (!types.delete(className)) return []
    const { payload, problems } = toResolvedPayload(document, types, 0)
    const told = new Set(problems.flatMap(({ code, node }) => (code === 'values_not_named' ? [node] : [])))
    const unknown = new Map(readPayloadNodes(payload).map((node) => [node.id, node]))
    return known.map(({ id, inputs }): Difference => {
      const others = unknown.get(id)?.inputs ?? new Map()
      const names = [...new Set([...inputs.keys(), ...others.keys()])]
      const differ = names.filter((one) => !sameJson(inputs.get(one) ?? null, others.get(one) ?? null))
      const where = `${name}: ${id} ${className}: ${differ.map((one) => `${one}=${writeJson(others.get(one) ?? null)}`)}`
      if (told.has(id)) return { kind: 'told', where }
      if (differ.length === 0) return { kind: 'same', where }
      return { kind: differ.some((one) => others.has(one)) ? 'wrong' : 'without defaults', where }
    })
  })
}

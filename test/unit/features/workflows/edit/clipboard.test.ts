import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { copyNodes, duplicate, paste } from '../../../../../src-main/features/workflows/rules/edit/clipboard.ts'
import { makeSubgraph } from '../../../../../src-main/features/workflows/rules/edit/make-subgraph.ts'
import { setTitle } from '../../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { addReroute, waypointsOf } from '../../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { brokenRules } from '../../../../support/graph-rules.ts'
import { beginning, EDIT_TYPES, EMPTY_DOCUMENTS, randomEdits, session } from '../../../../support/random-edits.ts'
import { whatNodesDo } from '../../../../support/same-payload.ts'
import { noWorkflowFiles, objectOf, readWorkflowFile, workflowFiles } from '../../../../support/workflow-files.ts'

const empty = () => readDocument(objectOf(EMPTY_DOCUMENTS.plain))
const does = (document: WorkflowDocument) => whatNodesDo(toPayload(document, EDIT_TYPES, 0).payload)
const all = ({ nodes }: WorkflowDocument) => new Set(nodes.items.map(({ id = '' }) => id))

function options(more: { readonly keepInbound?: boolean } = {}) {
  const given: string[] = []
  return {
    pos: [100, 200] as const,
    keepInbound: false,
    types: EDIT_TYPES,
    newUuid: () => `pasted-${given.push('')}`,
    ...more,
  }
}

function pasted(document: WorkflowDocument, text: string, more?: { readonly keepInbound?: boolean }) {
  const result = paste(document, undefined, text, options(more))
  if ('problem' in result) throw new Error(result.problem)
  return result
}

describe('nodes that are copied', () => {
  test('do in another document what they did, whatever they are', () => {
    fc.assert(
      fc.property(randomEdits(), (edits) => {
        const document = session(EMPTY_DOCUMENTS.plain, edits).at(-1) ?? beginning()
        const { document: other } = pasted(empty(), copyNodes(document, undefined, all(document)))
        expect(brokenRules(other)).toEqual([])
        expect(does(other)).toEqual(does(document))
      }),
      { numRuns: 50 },
    )
  })

  test('do the same once more in their own', () => {
    fc.assert(
      fc.property(randomEdits(), (edits) => {
        const document = session(EMPTY_DOCUMENTS.plain, edits).at(-1) ?? beginning()
        const { document: twice } = pasted(document, copyNodes(document, undefined, all(document)))
        expect(brokenRules(twice)).toEqual([])
        expect(does(twice)).toEqual([...does(document), ...does(document)].sort())
      }),
      { numRuns: 50 },
    )
  })

  test('keep the links into them where that is asked', () => {
    const document = beginning()
    const sampler = document.nodes.items.find(({ type }) => type === 'KSampler')?.id ?? ''
    const text = copyNodes(document, undefined, new Set([sampler]))
    const links = (result: ReturnType<typeof pasted>) => {
      const copy = result.document.nodes.items.find(({ id }) => id === result.ids.get(sampler))
      return copy?.inputs.items.filter(({ link }) => link !== undefined).length
    }
    expect(links(pasted(document, text))).toBe(0)
    expect(links(pasted(document, text, { keepInbound: true }))).toBe(4)
    expect(links(pasted(empty(), text, { keepInbound: true }))).toBe(0)
  })

  test('come with the points of their links, and stand where they are put', () => {
    const document = beginning()
    const [link] = document.links.items
    const { document: bent } = addReroute(document, undefined, { linkId: link?.id ?? '', pos: [7, 8] })
    const { document: other, ids } = pasted(empty(), copyNodes(bent, undefined, all(bent)))
    expect([...waypointsOf(other).values()]).toHaveLength(1)
    const [first] = other.nodes.items
    expect(ids.get(document.nodes.items[0]?.id ?? '')).toBe(first?.id)
    expect(Math.min(...other.nodes.items.map(({ pos }) => pos?.[0] ?? 0))).toBe(100)
  })

  test('bring their subgraph: once where it is the same, as another where it is not', () => {
    const document = beginning()
    const ids = new Set(document.nodes.items.slice(0, 4).map(({ id = '' }) => id))
    const made = makeSubgraph(document, undefined, { ids, name: 'part', newUuid: () => 'sub' })
    if (made === undefined) throw new Error('nothing was made')
    const text = copyNodes(made.document, undefined, new Set([made.host]))
    const definitions = (one: WorkflowDocument) => one.definitions?.subgraphs.items.map(({ id }) => id)
    expect(definitions(pasted(made.document, text).document)).toEqual(['sub'])
    const [inner] = made.document.definitions?.subgraphs.items[0]?.nodes.items ?? []
    const changed = setTitle(made.document, 'sub', inner?.id ?? '', 'mine')
    const both = pasted(changed, text).document
    expect(definitions(both)).toEqual(['sub', 'pasted-1'])
    expect(brokenRules(both)).toEqual([])
    expect(paste(made.document, 'sub', text, options())).toEqual({
      problem: 'A subgraph cannot be put into itself. Leave it first.',
    })
  })

  test('are duplicated next to themselves', () => {
    const document = beginning()
    const { document: twice, ids } = duplicate(document, undefined, all(document), { ...options(), pos: [900, 0] })
    expect(ids.size).toBe(document.nodes.items.length)
    expect(does(twice)).toEqual([...does(document), ...does(document)].sort())
  })
})

describe('pasted text', () => {
  test.each([
    ['just words', 'The clipboard holds no nodes and no workflow.'],
    ['[1, 2]', 'The clipboard holds no nodes but a list.'],
    ['{"a": 1}', 'The clipboard holds no nodes but an object with "a".'],
  ])('%s is refused', (text, problem) => {
    expect(paste(empty(), undefined, text, options())).toEqual({ problem })
  })

  test('may be damaged: what can be read is pasted', () => {
    const text =
      '{"kind":"drydock.nodes","nodes":[7,{"id":1},{"id":2,"type":"VAEDecode"}],"links":[[1,2]],"waypoints":7}'
    expect(pasted(empty(), text).document.nodes.items.map(({ type }) => type)).toEqual(['VAEDecode'])
  })

  test('may be a whole workflow, of either form', ({ skip }) => {
    skip(noWorkflowFiles !== undefined, noWorkflowFiles)
    for (const name of workflowFiles) {
      const { document, ids } = pasted(empty(), readWorkflowFile(name))
      expect(ids.size).toBeGreaterThan(0)
      expect(brokenRules(document)).toEqual([])
    }
  })
})

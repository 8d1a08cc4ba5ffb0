import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../../../src-main/features/workflows/rules/validate.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { brokenRules } from '../../../../support/graph-rules.ts'
import { EDIT_TYPES, EMPTY_DOCUMENTS, randomEdits, session } from '../../../../support/random-edits.ts'
import { whatNodesDo } from '../../../../support/same-payload.ts'
import { objectOf } from '../../../../support/workflow-files.ts'

const textOf = (document: WorkflowDocument) => writeJson(writeDocument(document))

describe('after any edits', () => {
  test.each(Object.entries(EMPTY_DOCUMENTS))(
    'a %s document is sound, and all before it are as they were',
    (_, start) => {
      fc.assert(
        fc.property(randomEdits(), (edits) => {
          const documents = session(start, edits)
          const last = documents.at(-1)
          expect(last && brokenRules(last)).toEqual([])
          expect(documents[0] && textOf(documents[0])).toBe(start)
        }),
        { numRuns: 60 },
      )
    },
  )

  test('a document reads back as the same, and is sent as the same', () => {
    fc.assert(
      fc.property(randomEdits(), (edits) => {
        const last = session(EMPTY_DOCUMENTS.plain, edits).at(-1)
        if (last === undefined) return
        const text = textOf(last)
        const again = readDocument(objectOf(text))
        expect(textOf(again)).toBe(text)
        expect(writeJson(toPayload(again, EDIT_TYPES, 0).payload)).toBe(
          writeJson(toPayload(last, EDIT_TYPES, 0).payload),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('a sent payload has no link into nothing', () => {
    fc.assert(
      fc.property(randomEdits(), (edits) => {
        const last = session(EMPTY_DOCUMENTS.plain, edits).at(-1)
        if (last === undefined) return
        const { payload, problems } = toPayload(last, EDIT_TYPES, 0)
        const found = [...problems, ...validate(payload, EDIT_TYPES)].map(({ code }) => code)
        expect(found.filter((code) => ['dangling_link', 'bad_output_slot', 'not_a_workflow'].includes(code))).toEqual(
          payload.size === 0 ? ['not_a_workflow'] : [],
        )
      }),
      { numRuns: 60 },
    )
  })

  // Nodes on both sides of another one may become a subgraph, and then that one closes a loop where it is bypassed.
  test('within one graph, what is sent has no loop', () => {
    const linking = ['connect', 'insert', 'moveLinks', 'disconnect'] as const
    const others = ['addNode', 'duplicate', 'removeNodes', 'mode', 'reroute', 'widgetToInput'] as const
    fc.assert(
      fc.property(randomEdits([...linking, ...others]), (edits) => {
        const last = session(EMPTY_DOCUMENTS.plain, edits).at(-1)
        if (last === undefined) return
        const { payload, problems } = toPayload(last, EDIT_TYPES, 0)
        const found = [...problems, ...validate(payload, EDIT_TYPES)].map(({ code }) => code)
        expect(found).not.toContain('cycle')
      }),
      { numRuns: 60 },
    )
  })

  test('that only arrange a graph, what is sent stays the same', () => {
    const arranging = ['move', 'group', 'layOut', 'reroute', 'addNote', 'widgetToInput'] as const
    const folding = ['makeSubgraph', 'dissolve', 'promote'] as const
    const linking = [
      'addNode',
      'connectAny',
      'connect',
      'duplicate',
      'addInstance',
      'setWidget',
      'makeSubgraph',
    ] as const
    fc.assert(
      fc.property(randomEdits(linking), randomEdits([...arranging, ...folding]), (linked, arranged) => {
        const before = session(EMPTY_DOCUMENTS.plain, linked).at(-1)
        const after = session(EMPTY_DOCUMENTS.plain, [...linked, ...arranged]).at(-1)
        if (before === undefined || after === undefined) return
        expect(whatNodesDo(toPayload(after, EDIT_TYPES, 0).payload)).toEqual(
          whatNodesDo(toPayload(before, EDIT_TYPES, 0).payload),
        )
      }),
      { numRuns: 60 },
    )
  })
})

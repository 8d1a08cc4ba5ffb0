import { describe, expect, test } from 'vitest'
import { wantedBy } from '../../../../src-main/features/worker-images/rules/wanted-nodes.ts'
import { readDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { toResolvedPayload } from '../../../../src-main/features/workflows/rules/resolve/resolve.ts'
import { bundledTypes, objectOf } from '../../../support/workflow-files.ts'

const node = (id: number, type: string, more: object = {}) => ({ id, type, mode: 0, inputs: [], outputs: [], ...more })
const stated = (cnr_id: string, ver: string, aux_id?: string) => ({ properties: { cnr_id, ver, aux_id } })

function wanted(document: object) {
  const raw = objectOf(JSON.stringify({ links: [], ...document }))
  const types = bundledTypes()
  return wantedBy({ form: 'document', raw }, toResolvedPayload(readDocument(raw), types, 0).payload, types)
}

describe('a graph wants', () => {
  test('the classes of the nodes that run, with all that is said of their packages', () => {
    const group = { nodes: [{ type: 'Grouped', index: 0, ...stated('grouped', '1.0.0') }], links: [], external: [] }
    const { classes, comfyui } = wanted({
      nodes: [
        node(1, 'Ink', stated('ink', '1.0.0')),
        node(2, 'Ink', stated('ink', 'nightly', 'ann/ink')),
        node(3, 'Muted', { mode: 2, ...stated('muted', '1.0.0') }),
        node(4, 'workflow>Both'),
        node(5, 'PreviewImage', stated('comfy-core', '0.3.9')),
        node(6, 'SaveImage', stated('comfy-core', '0.3.10')),
      ],
      extra: { groupNodes: { Both: group } },
    })
    expect(classes.filter(({ name }) => !name.endsWith('Image'))).toEqual([
      { name: 'Grouped', stated: [{ id: 'grouped', repository: undefined, version: '1.0.0' }] },
      {
        name: 'Ink',
        stated: [
          { id: 'ink', repository: undefined, version: '1.0.0' },
          { id: 'ink', repository: 'ann/ink', version: 'nightly' },
        ],
      },
    ])
    expect(comfyui).toBe('0.3.10')
  })
})

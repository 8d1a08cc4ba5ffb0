import { describe, expect, test } from 'vitest'
import { factsOf } from '../../../../src-main/features/worker-images/rules/package-facts.ts'
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

describe('the files of a package tell', () => {
  const facts = (files: Readonly<Record<string, string>>) => factsOf(new Map(Object.entries(files)))

  test.each([
    ['a literal', 'NODE_CLASS_MAPPINGS = {"Ink": Ink, # "Not": Not\n  \'Pen (fine)\': x.Pen}', ['Ink', 'Pen (fine)']],
    ['a literal with others in it', 'NODE_CLASS_MAPPINGS: dict[str, type] = {"A": make({"x": 1}), "B": B}', ['A', 'B']],
    ['an update', 'NODE_CLASS_MAPPINGS.update({"A": A})\nOTHER = {"B": B}', ['A']],
    ['single entries', 'NODE_CLASS_MAPPINGS["A"] = A\nNODE_CLASS_MAPPINGS[name] = B', ['A']],
    ['display names', 'NODE_DISPLAY_NAME_MAPPINGS = {"A": "The A"}', []],
    ['code that never ends', 'NODE_CLASS_MAPPINGS = {"A": A, "B', ['A']],
  ])('its classes from %s', (_name, python, classes) => {
    expect(facts({ '__init__.py': python }).classes).toEqual(classes)
  })

  test('its requirements, without comments and options of pip', () => {
    const text =
      '\ufeff# x\r\n-r other.txt\n--index-url https://x.example\nnumpy>=1 # why\npillow[x]; python_version < "3.13"\n\n'
    expect(facts({ 'requirements.txt': text }).requirements).toEqual(['numpy>=1', 'pillow[x]; python_version < "3.13"'])
  })

  test.each([
    ['text', '[project]\nname = "x"\nlicense = { text = "Apache-2.0" }\n', '', 'Apache-2.0'],
    ['an expression', '[tool.x]\nlicense = "no"\n[project]\nlicense = "MIT"\n', '', 'MIT'],
    [
      'its file',
      '[project]\nlicense = { file = "LICENSE" }\n',
      'GNU AFFERO GENERAL PUBLIC LICENSE\n  Version 3, 19',
      'AGPL-3.0',
    ],
    ['no word', '', 'All rights reserved', undefined],
  ])('its licence from %s', (_name, toml, licence, expected) => {
    expect(facts({ 'pyproject.toml': toml, LICENSE: licence }).licence).toBe(expected)
  })
})

import { expect, test } from 'vitest'
import { classPackages } from '../../../../../src-main/features/workflows/rules/node-packages.ts'
import { readNodeTypes } from '../../../../../src-main/features/workflows/rules/node-types.ts'
import { bundledTypes, json, objectOf } from '../../../../support/workflow-files.ts'

test('classes are grouped by the package that brings them', () => {
  const modules = {
    Ink: 'custom_nodes.ink-nodes',
    Paint: 'custom_nodes.Paint.v2',
    Brush: 'custom_nodes.ink-nodes',
    KSampler: 'nodes',
    Mask: 'comfy_extras.nodes_mask',
    Film: 'comfy_api_nodes.nodes_film',
    Old: undefined,
  }
  const types = Object.entries(modules).map(([name, python_module]) => [name, { input: {}, python_module }])
  const raw = objectOf(JSON.stringify(Object.fromEntries(types)))
  expect(json(classPackages(readNodeTypes(raw).values()))).toEqual(
    json([
      { kind: 'comfyui', name: 'ComfyUI', classes: ['KSampler', 'Mask'] },
      { kind: 'partner', name: 'ComfyUI, partner nodes', classes: ['Film'] },
      { kind: 'custom', name: 'Paint.v2', classes: ['Paint'] },
      { kind: 'custom', name: 'ink-nodes', classes: ['Brush', 'Ink'] },
      { kind: 'unknown', name: 'not known', classes: ['Old'] },
    ]),
  )
})

test('those that come along are of ComfyUI, but for the example of a custom one', () => {
  const packages = classPackages(bundledTypes().values()).map(({ name, classes }) => [name, classes.length > 100])
  expect(packages).toEqual([
    ['ComfyUI', true],
    ['ComfyUI, partner nodes', true],
    ['websocket_image_save', false],
  ])
})

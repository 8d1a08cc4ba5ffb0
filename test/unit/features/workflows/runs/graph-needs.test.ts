import { expect, it } from 'vitest'
import type { PayloadNode } from '../../../../../src-main/features/workflows/rules/payload.ts'
import { needsOf } from '../../../../../src-main/features/workflows/rules/runs/graph-models.ts'

const node = (classType: string, inputs: Readonly<Record<string, string>> = {}): PayloadNode => ({
  ...{ id: '1', classType, title: undefined, raw: new Map() },
  inputs: new Map(Object.entries(inputs)),
})

it('a graph needs its classes and models, each once', () => {
  const loader = node('Loader', { ckpt_name: 'a.safetensors' })
  expect(needsOf([loader, loader, node('Save')])).toEqual({ classes: ['Loader', 'Save'], models: ['a.safetensors'] })
})

it('the needs that are kept of a graph are bounded', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => node(`Class${at}`))
  const { classes } = needsOf([node('x'.repeat(1_000_000)), ...many])
  expect(classes[0]).toBe('Class0')
  expect(classes.join('').length).toBeLessThanOrEqual(16 * 1024)
})

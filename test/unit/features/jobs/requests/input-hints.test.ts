import { expect, it } from 'vitest'
import { inputHints } from '../../../../../src-main/features/jobs/rules/requests/input-hints.ts'

it('hints are the fields of all inputs with the values that were seen, newest first', () => {
  const hints = inputHints([
    { prompt: 'a boat', size: { width: 512 }, steps: [{ kind: 'x' }, { kind: 'y' }] },
    { prompt: 'a house', size: { width: 512 }, bright: true },
  ])
  expect(hints).toEqual([
    { path: 'prompt', values: ['"a boat"', '"a house"'] },
    { path: 'size', values: [] },
    { path: 'size.width', values: ['512'] },
    { path: 'steps', values: [] },
    { path: 'steps.kind', values: ['"x"', '"y"'] },
    { path: 'bright', values: ['true'] },
  ])
})

it('hints stay few and short, whatever was sent', () => {
  const wide = Object.fromEntries(Array.from({ length: 1000 }, (_field, at) => [`f${at}`, 'v'.repeat(100)]))
  const deep = JSON.parse(`${'{"a":'.repeat(900)}1${'}'.repeat(900)}`)
  const many = Array.from({ length: 50 }, (_input, at) => ({ n: at }))
  const hints = inputHints([deep, ...many, wide])
  expect(hints.length).toBe(200)
  expect(hints.find(({ path }) => path === 'n')?.values).toHaveLength(8)
  expect(hints.find(({ path }) => path === 'f0')?.values).toEqual([])
})
